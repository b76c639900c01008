import { Highlighter } from '../../colours/highlighter';
import { Playback } from './playback';
import { mountShared } from './shared_view';
import { parseShared } from './shared_data';
import { findParser } from './languages';
import { applyPageStyle } from '../../widget/page_style';

/** Draws the turns of a shared file in place of its plain text. */
function drawShared(): void {
  const main = document.querySelector('main');
  const turns = parseShared(document.querySelector('#acp-turns')?.textContent ?? 'null');
  if (main === null || turns.length === 0) {
    return; // its plain text stays
  }
  main.replaceChildren();
  applyPageStyle(main);
  const highlighter = new Highlighter(findParser);
  mountShared(main, {
    playback: new Playback(turns),
    rendering: {
      highlight: (text, language) => highlighter.highlight(text, language),
      lines: (text, path) => highlighter.lines(text, path),
    },
  });
}

drawShared();
