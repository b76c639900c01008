import type { Translate } from '../../views';
import type { NoteAction, ProposalNoteProps } from '../../lab/proposal/proposal_note';
import type { Outcome, Proposal, Question } from '../../lab/proposal/outcome';

/** The step that a fix is at. */
export type Step =
  | { readonly at: 'asking'; readonly waits: 'start' | 'queue' | 'agent' | 'answer' }
  | ({ readonly at: 'asks' } & Question)
  | ({ readonly at: 'proposed'; readonly busy: boolean } & Proposal)
  /** The fix is in the cell, which has been run or not. */
  | Taken
  | { readonly at: 'ended'; readonly words: string; readonly reason: string };

export interface Taken {
  readonly at: 'taken';
  readonly source: string;
  readonly ran: 'no' | 'running' | 'well' | 'failed';
  readonly note: string;
}

/** What the note's buttons do. */
export interface FixHandlers {
  readonly take: (proposal: Proposal) => void;
  /** Answers a request with one of its options. */
  readonly answer: (requestId: string, option: string) => void;
  readonly run: (source: string) => void;
  readonly takeBack: (taken: Taken) => void;
  readonly again: () => void;
  readonly dismiss: () => void;
  readonly close: () => void;
  readonly addAgent: () => void;
  readonly goToQuestion: () => void;
  /** `null` if there is no turn to show. */
  readonly openSession: (() => void) | null;
}

/**
 * Whether the step or the proposal is another one: a key press counts only for the one it was meant
 * for.
 */
export function isAnother(step: Step, old: Step): boolean {
  if (step.at === 'asks' && old.at === 'asks') {
    return step.request.requestId !== old.request.requestId;
  }
  return step.at === 'proposed' && old.at === 'proposed'
    ? step.source !== old.source || step.request?.requestId !== old.request?.requestId
    : step.at !== old.at;
}

/** The last step of a turn that ended without a fix. */
export function endedIn(
  outcome: Extract<Outcome, { kind: 'refused' | 'nothing' | 'failed' }>,
  agent: string,
  t: Translate,
): Step {
  switch (outcome.kind) {
    case 'refused':
      return { at: 'ended', words: t('The cell could not be changed.'), reason: 'refused' };
    case 'nothing':
      return { at: 'ended', words: t('%1 proposed no fix.', agent), reason: '' };
    case 'failed': {
      const stopped = t('The agent was stopped.');
      const words = outcome.stopped ? stopped : outcome.message || t('The turn failed.');
      return { at: 'ended', words, reason: outcome.stopped ? '' : 'failed' };
    }
  }
}

interface Context {
  /** Name of the agent, for the user. */
  readonly agent: string;
  /** The source that was sent to the agent. */
  readonly asked: string;
  /** Whether the cell has another source now. */
  readonly stale: boolean;
  readonly acts: FixHandlers;
  readonly t: Translate;
}

type Drawn = Pick<ProposalNoteProps, 'words' | 'tone' | 'diff' | 'note' | 'actions'>;

/** The note's text and actions at a step. */
export function drawn(step: Step, context: Context): Drawn {
  switch (step.at) {
    case 'asking':
      return asking(step.waits, context);
    case 'asks':
      return asks(step, context);
    case 'proposed':
      return proposed(step, context);
    case 'taken':
      return taken(step, context);
    case 'ended':
      return ended(step, context);
  }
}

function asking(waits: (Step & { at: 'asking' })['waits'], { agent, acts, t }: Context): Drawn {
  const words = {
    start: t('Asking the agent'),
    queue: t('%1 is busy. This comes next.', agent),
    agent: t('%1 looks at the error', agent),
    answer: t('%1 asks you something first.', agent),
  };
  const question: NoteAction[] =
    waits === 'answer'
      ? [{ name: t('Go to the question'), run: acts.goToQuestion, primary: true }]
      : [];
  return {
    ...{ words: words[waits], tone: waits === 'answer' ? 'info' : 'busy', diff: null, note: '' },
    actions: [
      ...question,
      ...sessionAction(acts, t),
      { name: t('Stop'), key: 'Escape', icon: 'stop', run: acts.dismiss },
    ],
  };
}

function asks({ tool, request }: Step & { at: 'asks' }, { agent, acts, t }: Context): Drawn {
  const { requestId, allow, reject } = request;
  const no: NoteAction[] =
    reject === null
      ? []
      : [{ name: t('Reject'), key: 'n', run: () => acts.answer(requestId, reject) }];
  return {
    ...{ words: t('%1 asks to read: %2', agent, tool), tone: 'info', diff: null, note: '' },
    actions: [
      {
        ...{ name: t('Allow once'), key: 'y', primary: true },
        run: () => acts.answer(requestId, allow),
      },
      ...no,
      { name: t('Go to the question'), run: acts.goToQuestion },
      { name: t('Stop'), key: 'Escape', icon: 'stop', run: acts.dismiss },
    ],
  };
}

function proposed(
  step: Step & { at: 'proposed' },
  { agent, asked, stale, acts, t }: Context,
): Drawn {
  const dismiss: NoteAction = { name: t('Dismiss'), key: 'Escape', run: acts.dismiss };
  const take: NoteAction = {
    ...{ name: t('Apply and run'), key: 'y', icon: 'keep', primary: true },
    run: () => acts.take(step),
  };
  const again: NoteAction = { name: t('Ask again'), primary: true, run: acts.again };
  return {
    words: step.busy ? t('Applying the fix') : t('%1 proposes a fix', agent),
    tone: step.busy ? 'busy' : 'info',
    diff: { before: asked, after: step.source },
    note:
      stale && !step.busy
        ? t('You have changed this cell since, so the fix can’t be applied.')
        : '',
    actions: step.busy
      ? [...sessionAction(acts, t), { name: t('Stop'), icon: 'stop', run: acts.dismiss }]
      : [stale ? again : take, dismiss],
  };
}

function taken(step: Taken, { agent, acts, t }: Context): Drawn {
  const words = {
    no: t('The fix by %1 is in the cell. The cell has not run yet.', agent),
    running: t('Running the cell with the fix by %1', agent),
    well: t('The fix by %1 works: the cell ran without an error.', agent),
    failed: t('The cell still fails with the fix by %1.', agent),
  };
  const run: NoteAction = {
    ...{ name: t('Run the cell'), key: 'y', icon: 'execute', primary: true },
    run: () => acts.run(step.source),
  };
  const again: NoteAction = { name: t('Fix this error too'), run: acts.again };
  return {
    ...{ words: words[step.ran], diff: null, note: step.note },
    tone: step.ran === 'running' ? 'busy' : step.ran === 'failed' ? 'error' : 'info',
    actions: [
      ...(step.ran === 'no' ? [run] : step.ran === 'failed' ? [again] : []),
      { name: t('Take back'), key: 'n', icon: 'revert', run: () => acts.takeBack(step) },
      { name: t('Close'), key: 'Escape', run: acts.close },
    ],
  };
}

function ended({ words, reason }: Step & { at: 'ended' }, { acts, t }: Context): Drawn {
  const add: NoteAction = { name: t('Add an agent…'), run: acts.addAgent };
  return {
    ...{ words, tone: reason === '' ? 'info' : 'error', diff: null, note: '' },
    actions: [
      ...(reason === 'no_agent' ? [add] : []),
      ...sessionAction(acts, t),
      { name: t('Ask again'), run: acts.again },
      { name: t('Close'), key: 'Escape', run: acts.close },
    ],
  };
}

function sessionAction({ openSession }: FixHandlers, t: Translate): NoteAction[] {
  return openSession === null ? [] : [{ name: t('Open the session'), run: openSession }];
}
