import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import { textOf } from '../../state/texts';
import { useScene } from '../parts/scene';
import { PAGE_LINES, Pager, pagesOf } from './pages';
import { TerminalScreen } from './terminal_screen';
import { render } from './terminal_text';

interface TerminalPagesProps {
  readonly itemId: string;
  readonly label: string;
  /** From 1; `end` is the last one. */
  readonly page: string;
  readonly onPage: (page: string) => void;
}

/** All that a command has put out until now, by pages; it does not follow the end. */
export function TerminalPages({ itemId, label, page, onPage }: TerminalPagesProps) {
  const { store, t } = useScene();
  const host = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => screenLines(textOf(store.view, itemId, 'output')), [itemId, page]);
  const place = page === 'end' ? pagesOf(lines.length) : Number(page);
  useLayoutEffect(() => {
    const shown = lines.slice((place - 1) * PAGE_LINES, place * PAGE_LINES);
    if (host.current !== null) {
      host.current.replaceChildren(render(shown.join('\n')));
      host.current.scrollTop = page === 'end' ? host.current.scrollHeight : 0;
    }
  }, [lines, place]);
  return (
    <>
      <pre class="acp-out" tabIndex={0} role="group" aria-label={label} dir="ltr" ref={host} />
      <p class="acp-pages">
        <Pager page={place} lines={lines.length} onPage={next => onPage(String(next))} />
        <button type="button" class="btn quiet small" onClick={() => onPage('')}>
          {t('Show the end')}
        </button>
      </p>
    </>
  );
}

function screenLines(text: string): string[] {
  const screen = new TerminalScreen();
  const finished = screen.write(text);
  return [...finished, ...screen.live()];
}
