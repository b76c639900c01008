import cards from '../../style/cards.css';
import code from '../../style/code.css';
import diffs from '../../style/diff.css';
import styles from '../../style/index.css';
import { snapshotStore } from '../state/store';
import { mountTurn } from '../views';
import { parseSnapshot } from '../wire/parse_snapshot';

/** Marks a saved turn in a page; holds a script element with its data, and the turn as text. */
const SAVED = '.acp-SavedTurn';

/** Draws the saved turns of a page that has no Jupyter server, such as the documentation's. */
function drawSavedTurns(): void {
  const style = document.createElement('style');
  style.textContent = styles + cards + code + diffs;
  document.head.append(style);
  document.querySelectorAll<HTMLElement>(SAVED).forEach(drawSavedTurn);
}

function drawSavedTurn(el: HTMLElement): void {
  const data: unknown = JSON.parse(el.querySelector('script')?.textContent ?? 'null');
  const snapshot = parseSnapshot(data, null);
  if (snapshot === null) {
    return; // its text stays
  }
  el.textContent = '';
  mountTurn(el, {
    store: snapshotStore(snapshot),
    turnId: snapshot.turn_id,
    host: 'cell',
    actions: null,
  });
}

drawSavedTurns();
