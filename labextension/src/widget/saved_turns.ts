import { snapshotStore } from '../state/store';
import { mountTurn } from '../views';
import { parseSnapshot } from '../wire/parse_snapshot';
import { applyPageStyle } from './page_style';

/** Marks a saved turn in a page; holds a script element with its data, and the turn as text. */
const SAVED = '.acp-SavedTurn';

/** Draws the saved turns of a page that has no Jupyter server, such as the documentation's. */
function drawSavedTurns(): void {
  document.querySelectorAll<HTMLElement>(SAVED).forEach(drawSavedTurn);
}

function drawSavedTurn(el: HTMLElement): void {
  const data: unknown = JSON.parse(el.querySelector('script')?.textContent ?? 'null');
  const snapshot = parseSnapshot(data, null);
  if (snapshot === null) {
    return; // its plain text stays
  }
  el.textContent = '';
  applyPageStyle(el);
  mountTurn(el, {
    store: snapshotStore(snapshot),
    turnId: snapshot.turn_id,
    host: 'cell',
    actions: null,
  });
}

drawSavedTurns();
