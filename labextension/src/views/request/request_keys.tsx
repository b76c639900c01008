import { press } from '../user_events';
import { isHeld, isTextField, moveInTranscript, targetOf } from '../parts/keyboard';
import { leaveRequest } from '../parts/mount';
import { useScene } from '../scene';
import type { Scene } from '../scene';

/**
 * Keys of a view: those that answer its requests, and those that move in it. While a request has
 * the focus, no plain key reaches the notebook, where it would change the waiting cell.
 */
export function pressInTurn(view: Element, event: KeyboardEvent, scene: Scene): boolean | 'own' {
  if (answerByKey(view, event) || moveInTranscript(view, event, scene)) {
    return true;
  }
  const target = targetOf(event);
  const request = target?.closest('.acp-request, .acp-question') ?? null;
  return request !== null &&
    !isTextField(target) &&
    !(event.ctrlKey || event.metaKey || event.altKey)
    ? 'own'
    : false;
}

/** Keys that answer with the first option of a kind, as at *Fix*. */
const KIND_KEYS: ReadonlyMap<string, string> = new Map([
  ['y', 'allow_once'],
  ['n', 'reject_once'],
]);

/**
 * Keys 1 to 9, `y` and `n` choose an answer of the request that has the focus. Escape closes its
 * menu or the field for a reason, then leaves the request, which stays open. Keys with a modifier
 * answer nothing, since these run cells.
 */
function answerByKey(view: Element, event: KeyboardEvent): boolean {
  const target = targetOf(event);
  const card = target?.closest('.acp-request') ?? null;
  if (card === null) {
    return false;
  }
  if (event.key === 'Escape') {
    return closeDetails(target, card) || leaveRequest(view);
  }
  if (isTextField(target)) {
    return false;
  }
  if (isHeld(event)) {
    return event.key === 'Enter';
  }
  const kind = KIND_KEYS.get(event.key);
  if (kind === undefined && !/^[1-9]$/.test(event.key)) {
    return false;
  }
  const named = kind === undefined ? `option="${event.key}"` : `option-kind="${kind}"`;
  const [answer, ...others] = card.querySelectorAll<HTMLElement>(`[data-${named}]`);
  // A repeated key was pressed for something else. A disabled button ignores the click.
  if (!event.repeat && others.length === 0 && answer !== undefined) {
    press(answer);
    if (answer.matches(':disabled')) {
      goToWhatIsMissing(card);
    }
  }
  // Handled even if no answer has that number, since in a notebook it would change a cell.
  return true;
}

/** Closes the open menu or field around an element of a request, and focuses the request. */
function closeDetails(target: Element | null, card: Element): boolean {
  const details = target?.closest('.acp-more[open]') ?? card.querySelector('.acp-more[open]');
  if (!(details instanceof HTMLDetailsElement) || !card.contains(details)) {
    return false;
  }
  details.querySelector<HTMLElement>(':scope > summary')?.focus({ preventScroll: true });
  details.open = false;
  return true;
}

/** Goes to the part that must be seen before the request can be answered. */
function goToWhatIsMissing(card: Element): void {
  const more = card.querySelector('.acp-unread button');
  if (more instanceof HTMLElement) {
    more.focus();
  } else {
    card.querySelector('.acp-opts')?.scrollIntoView({ block: 'nearest' });
  }
}

/** Says which keys go to a request; the answers' own keys are drawn while it has the focus. */
export function RequestKey() {
  const { actions, t } = useScene();
  const keys = actions?.requestShortcut?.() ?? '';
  return keys === '' ? null : (
    <span class="acp-goto">
      <kbd>{keys}</kbd> {t('to answer by key')}
    </span>
  );
}
