import type { SessionView } from '../../state/view';

/** What the user wrote in this session, oldest first, each only once in a row. */
export function historyOf(view: SessionView): string[] {
  const messages: string[] = [];
  for (const id of view.order) {
    const item = view.items.get(id);
    if (item?.kind === 'user_message' && item.text !== messages[messages.length - 1]) {
      messages.push(item.text);
    }
  }
  return messages;
}
