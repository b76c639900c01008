import { isTextField, targetOf } from '../parts/keyboard';
import { leaveRequest } from '../parts/mount';
import { useScene } from '../scene';

/** Keys 1 to 9 choose an answer of the request that has the focus; Escape leaves it open. */
export function answerByKey(view: Element, event: KeyboardEvent): boolean {
  const target = targetOf(event);
  const card = target?.closest('.acp-request') ?? null;
  if (card === null || isTextField(target)) {
    return false;
  }
  if (event.key === 'Escape') {
    return leaveRequest(view);
  }
  if (
    !/^[1-9]$/.test(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.shiftKey
  ) {
    return false;
  }
  const answer = card.querySelector(`button[data-option="${event.key}"]`);
  // A key that is held was pressed for something else. A disabled button ignores the click.
  if (!event.repeat && answer instanceof HTMLButtonElement) {
    answer.click();
  }
  // Handled even if nothing has that number: in a notebook it would change a cell.
  return true;
}

/** Says which keys lead to a request; the answers' own keys are drawn while it has the focus. */
export function RequestKey() {
  const { actions, t } = useScene();
  const keys = actions?.requestShortcut?.() ?? '';
  return keys === '' ? null : (
    <span class="acp-goto">
      <kbd>{keys}</kbd> {t('to answer by key')}
    </span>
  );
}
