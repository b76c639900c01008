import type { Translate } from '../../views';
import type { NoteAction, ProposalNoteProps } from '../../lab/proposal/proposal_note';

/** The step that a suggestion is at. */
export type Step =
  | { readonly at: 'asking'; readonly waits: 'start' | 'queue' | 'agent' | 'answer' }
  /** `late` if the notebook was changed meanwhile: then the suggestion is folded. */
  | { readonly at: 'suggested'; readonly source: string; readonly late: boolean }
  | { readonly at: 'ended'; readonly words: string; readonly reason: string };

/** What the note's buttons do. */
export interface SuggestionHandlers {
  readonly insert: (source: string) => void;
  readonly unfold: (source: string) => void;
  readonly dismiss: () => void;
  readonly again: () => void;
  readonly addAgent: () => void;
  readonly goToQuestion: () => void;
  /** `null` if there is no turn to show. */
  readonly openSession: (() => void) | null;
}

type Drawn = Pick<ProposalNoteProps, 'words' | 'tone' | 'code' | 'note' | 'actions'>;

/** The note's text and actions at a step. */
export function noteProps(
  step: Step,
  agent: string,
  acts: SuggestionHandlers,
  t: Translate,
): Drawn {
  const dismiss: NoteAction = { name: t('Dismiss'), key: 'Escape', run: acts.dismiss };
  const session: NoteAction[] =
    acts.openSession === null ? [] : [{ name: t('Open the session'), run: acts.openSession }];
  switch (step.at) {
    case 'asking': {
      const words = {
        start: t('Asking the agent for the next cell. This costs a prompt.'),
        queue: t('%1 is busy. This comes next, and costs a prompt.', agent),
        agent: t('%1 is writing the next cell. This costs a prompt.', agent),
        answer: t('%1 asks you something first.', agent),
      };
      const question: NoteAction[] =
        step.waits === 'answer'
          ? [{ name: t('Go to the question'), run: acts.goToQuestion, primary: true }]
          : [];
      return {
        ...{ words: words[step.waits], tone: step.waits === 'answer' ? 'info' : 'busy' },
        ...{ code: null, note: '' },
        actions: [...question, { name: t('Stop'), key: 'Escape', icon: 'stop', run: acts.dismiss }],
      };
    }
    case 'suggested': {
      const { source, late } = step;
      const insert: NoteAction = {
        ...{ name: t('Insert'), key: 'Tab', icon: 'insert', primary: true },
        run: () => acts.insert(source),
      };
      const show: NoteAction = { name: t('Show it'), run: () => acts.unfold(source) };
      return {
        words: late
          ? t('%1 suggested a next cell before your last changes. It cost a prompt.', agent)
          : t('Suggested by %1, not in the notebook. It cost a prompt.', agent),
        ...{ tone: 'info', code: late ? null : source, note: '' },
        actions: [late ? show : insert, dismiss],
      };
    }
    case 'ended': {
      const { words, reason } = step;
      const add: NoteAction = { name: t('Add an agent…'), run: acts.addAgent };
      return {
        ...{ words, tone: reason === '' ? 'info' : 'error', code: null, note: '' },
        actions: [
          ...(reason === 'no_agent' ? [add] : []),
          ...session,
          { name: t('Ask again'), run: acts.again },
          { name: t('Close'), key: 'Escape', run: acts.dismiss },
        ],
      };
    }
  }
}
