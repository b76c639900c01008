import { Component } from 'preact';

import type { Item } from '../../wire/types';
import { ContentBlock } from '../items/content_block';
import { ErrorNote, NoticeNote } from '../items/note';
import { PlanBlock } from '../items/plan';
import { Prose } from '../items/prose';
import { ThoughtLine } from '../items/thought';
import { ToolCard } from '../items/tool';
import { Group } from './group';
import type { Row } from './rows';

interface RowsProps {
  readonly rows: readonly Row[];
  /** Requests that wait in this session, in order. */
  readonly waiting: readonly string[];
}

/** Lines of a turn, in order. */
export function Rows({ rows, waiting }: RowsProps) {
  return (
    <>
      {rows.map((row, index) =>
        row.kind === 'group' ? (
          <Group
            key={row.id}
            id={row.id}
            items={row.items}
            followed={rows.slice(index + 1).some(isText)}
          />
        ) : (
          <ItemRow key={row.id} item={row.item} waiting={isAsking(row.item) ? waiting : NONE} />
        ),
      )}
    </>
  );
}

const NONE: readonly string[] = [];

interface ItemRowProps {
  readonly item: Item;
  readonly waiting: readonly string[];
}

/** One item; drawn again only when the item itself was replaced. */
export class ItemRow extends Component<ItemRowProps> {
  override shouldComponentUpdate(next: Readonly<ItemRowProps>): boolean {
    return next.item !== this.props.item || next.waiting !== this.props.waiting;
  }

  override render() {
    return <ItemContent {...this.props} />;
  }
}

function ItemContent({ item, waiting }: ItemRowProps) {
  switch (item.kind) {
    case 'agent_message':
      return <Prose itemId={item.id} open={item.open} />;
    case 'thought':
      return <ThoughtLine item={item} />;
    case 'tool_call':
      return <ToolCard item={item} waiting={waiting} />;
    case 'plan':
      return <PlanBlock item={item} width={0} running={false} />;
    case 'content_block':
      return <ContentBlock block={item} />;
    case 'notice':
      return <NoticeNote item={item} />;
    case 'error':
      return <ErrorNote message={item.message} detail={item.detail} />;
    case 'turn_end':
      // What went wrong stands above, in the error's own note.
      return item.words === '' || item.stop_reason === 'error' ? null : (
        <p class="acp-end muted">{item.words}</p>
      );
    case 'artifact':
    case 'file_write':
    case 'user_message':
      return null;
  }
}

function isText(row: Row): boolean {
  return row.kind === 'item' && row.item.kind === 'agent_message';
}

function isAsking(item: Item): boolean {
  return item.kind === 'tool_call' && item.permission?.state === 'pending';
}
