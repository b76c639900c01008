import { Component } from 'preact';

import { agentOf } from '../../state/session_view';
import type { ErrorItem, Item, Notice, ToolCall, TurnEnd, UserMessage } from '../../wire/types';
import { plural } from '../i18n';
import { Prose } from '../markdown/prose';
import { Icon } from '../parts/icons';
import { ErrorNote, NoticeNote } from '../parts/notes';
import { Visible } from '../parts/odd_characters';
import { Question } from '../request/elicitation';
import { TrustCard } from '../request/trust';
import { useAdditions, useScene, useValue } from '../scene';
import { ContentBlock } from '../tool/content_block';
import { PlanBlock } from '../tool/plan';
import { ToolCard } from '../tool/tool_card';
import { ArtifactCard, FileWriteRow } from './artifact';
import { Group, NewestStep, Steps } from './group';
import { newestTodos } from './layout';
import type { Row } from './layout';
import { ThoughtLine } from './thought';

/** Above this many lines only the newest are mounted. */
const MAX_ROWS = 400;

/** Number of rows that are mounted then, and added with each click. */
const MOUNTED_ROWS = 200;

interface RowsProps {
  /** Id in the store of how many are shown. */
  readonly id: string;
  readonly rows: readonly Row[];
  /** Ids of the waiting requests of this session, in order. */
  readonly waiting: readonly string[];
}

/** The rows of a turn, in order. */
export function Rows({ id, rows, waiting }: RowsProps) {
  const { actions, t } = useScene();
  const [pages, setPages] = useValue(`${id} rows`);
  const most = MOUNTED_ROWS * Number(pages || 1);
  const firstWaiting = rows.findIndex(
    row => row.kind === 'item' && [row.item, ...row.steps].some(isWaiting),
  );
  const late = rows.length > MAX_ROWS && actions !== null ? Math.max(0, rows.length - most) : 0;
  const hidden = firstWaiting < 0 ? late : Math.min(late, firstWaiting);
  const shown = hidden > 0 ? rows.slice(hidden) : rows;
  const todos = newestTodos(rows.flatMap(row => (row.kind === 'item' ? [row.item] : [])));
  const lastText = shown.map(isText).lastIndexOf(true);
  return (
    <>
      {hidden > 0 && (
        <button
          type="button"
          class="btn quiet small acp-earlier"
          onClick={() => setPages(String(Number(pages || 1) + 1))}
        >
          {plural(t, hidden, 'Show 1 earlier step', 'Show %1 earlier steps')}
        </button>
      )}
      {shown.map((row, index) =>
        row.kind === 'group' ? (
          <Group
            key={row.id}
            id={row.id}
            items={row.items}
            drawItem={drawStep}
            followed={index < lastText}
          />
        ) : (
          <ItemRow
            key={row.id}
            item={row.item}
            steps={row.steps}
            waiting={[row.item, ...row.steps].some(isWaiting) ? waiting : NONE}
            newest={row.item === todos}
          />
        ),
      )}
    </>
  );
}

const NONE: readonly string[] = [];

interface ItemRowProps {
  readonly item: Item;
  /** The steps of its subagents. */
  readonly steps?: readonly Item[];
  readonly waiting: readonly string[];
  /** Whether it is the turn's newest todo list. */
  readonly newest?: boolean;
}

/** One item; drawn again only when it, or a step of its subagents, was replaced. */
export class ItemRow extends Component<ItemRowProps> {
  override shouldComponentUpdate(next: Readonly<ItemRowProps>): boolean {
    const { item, steps = [], waiting, newest } = this.props;
    const then = next.steps ?? [];
    return (
      next.item !== item ||
      next.waiting !== waiting ||
      next.newest !== newest ||
      then.length !== steps.length ||
      then.some((step, index) => step !== steps[index])
    );
  }

  override render() {
    return <ItemContent {...this.props} />;
  }
}

/** An item of a group, or a step of a subagent; none of them waits for the user. */
function drawStep(item: Item) {
  return <ItemRow item={item} waiting={NONE} />;
}

function ItemContent({ item, steps = [], waiting, newest = false }: ItemRowProps) {
  switch (item.kind) {
    case 'agent_message':
      return <Prose itemId={item.id} open={item.open} />;
    case 'thought':
      return <ThoughtLine item={item} />;
    case 'tool_call':
      return <ToolRow item={item} steps={steps} waiting={waiting} newest={newest} />;
    case 'elicitation':
      return <Question item={item} />;
    case 'trust_request':
      return <TrustCard item={item} />;
    case 'plan':
      return <PlanBlock item={item} width={0} running={false} />;
    case 'content_block':
      return <ContentBlock block={item} />;
    case 'artifact':
      return <ArtifactCard item={item} />;
    case 'file_write':
      return <FileWriteRow item={item} />;
    case 'notice':
      return <NoticeNote item={item}>{item.offers !== '' && <Offers item={item} />}</NoticeNote>;
    case 'error':
      return item.reason === 'login_needed' ? (
        <LoginNeeded item={item} />
      ) : (
        <>
          <ErrorNote message={item.message} detail={item.detail} code={item.code} />
          {item.reason === 'login_expired' && <ToLogin />}
        </>
      );
    case 'turn_end':
      return <End item={item} />;
    case 'user_message':
      return <Steered item={item} />;
  }
}

/** A message of the user during the turn, where the agent received it. */
function Offers({ item }: { readonly item: Notice }) {
  return useAdditions('offer').map((Added, index) => <Added key={index} item={item} />);
}

function Steered({ item }: { readonly item: UserMessage }) {
  const { t } = useScene();
  return (
    <div class="acp-user" role="note" aria-label={t('Said while the turn ran')}>
      <div dir="auto">
        <Visible text={item.text} strictness="controls" />
      </div>
    </div>
  );
}

interface ToolRowProps extends Required<ItemRowProps> {
  readonly item: ToolCall;
}

/** A tool call and its subagents' steps; waiting requests among them are never folded. */
function ToolRow({ item, steps, waiting, newest }: ToolRowProps) {
  const { actions } = useScene();
  const waitingSteps = actions === null ? [] : steps.filter(isWaiting);
  const done = waitingSteps.length === 0 ? steps : steps.filter(step => !isWaiting(step));
  const nested = steps.length > 0 && {
    under: waitingSteps.length === 0 && <NewestStep item={item} steps={steps} />,
    body: done.length > 0 && <Steps item={item} steps={done} drawItem={drawStep} />,
    after: waitingSteps.map(step => <ItemRow key={step.id} item={step} waiting={waiting} />),
  };
  return <ToolCard item={item} waiting={waiting} newest={newest} nested={nested} />;
}

function End({ item }: { readonly item: TurnEnd }) {
  // An error has its own note above.
  const words = item.stop_reason === 'error' ? '' : item.words;
  return (
    <>
      {item.summary !== '' && (
        <p class="acp-end" dir="auto">
          <Visible text={item.summary} strictness="controls" />
        </p>
      )}
      {words !== '' && <p class="acp-end muted">{words}</p>}
    </>
  );
}

function isText(row: Row): boolean {
  return row.kind === 'item' && row.item.kind === 'agent_message';
}

function isWaiting(item: Item): boolean {
  return item.kind === 'tool_call' && item.permission?.state === 'pending';
}

/** A turn that was refused because its agent needs a login; the panel has a card for that. */
export function LoginNeeded({ item }: { readonly item: ErrorItem }) {
  const { store, host, t } = useScene();
  if (host === 'cell') {
    return (
      <>
        <ErrorNote message={item.message} detail={item.detail} code={item.code} />
        <ToLogin />
      </>
    );
  }
  const words = t('Not sent: %1 needed a login.', agentOf(store.view).name);
  return item.detail === '' ? (
    <p class="acp-end err" role="group" aria-label={t('Error')}>
      <Icon name="warning" small /> {words}
    </p>
  ) : (
    <ErrorNote message={words} detail={item.detail} code={item.code} />
  );
}

/** Opens the panel, which has the ways to log in. */
function ToLogin() {
  const { store, host, actions, t } = useScene();
  if (host !== 'cell' || actions?.openSession === undefined) {
    return null;
  }
  return (
    <button type="button" class="btn small" onClick={() => actions.openSession?.(store.sessionId)}>
      {t('Log in')}
    </button>
  );
}
