import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { textFrom, textLength, textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { cancelFrame, inNextFrame } from '../parts/frame';
import { PAGE_LINES, Pager, pagesOf } from '../parts/pager';
import { useScene, useValue } from '../scene';
import { TerminalScreen } from './terminal_screen';
import { render, TerminalText } from './terminal_text';

/** The text output of a tool, as a terminal shows it. */
export function Output({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const isError = item.status === 'failed' && item.terminal === null;
  const label = isError ? t('Error from the tool') : t('Terminal output');
  return <Terminal itemId={item.id} label={label} />;
}

interface TerminalProps {
  readonly itemId: string;
  readonly label: string;
}

/** Text output with colours: its end, or the whole output by pages. */
export function Terminal({ itemId, label }: TerminalProps) {
  const { actions, t } = useScene();
  const [page, setPage] = useValue(`${itemId} page`);
  const [cut, setCut] = useState(false);
  if (page !== '') {
    return <TerminalPages itemId={itemId} label={label} page={page} onPage={setPage} />;
  }
  return (
    <>
      <TerminalTail itemId={itemId} label={label} onCut={setCut} />
      {cut && actions !== null && (
        <p class="acp-pages">
          <span class="muted">{t('The last lines are shown.')}</span>
          <button type="button" class="btn quiet small" onClick={() => setPage('end')}>
            {t('Show all')}
          </button>
        </p>
      )}
    </>
  );
}

interface TailProps extends TerminalProps {
  readonly onCut: (cut: boolean) => void;
}

/** The end of the output, which stays scrolled into view. */
function TerminalTail({ itemId, label, onCut }: TailProps) {
  const { store } = useScene();
  const host = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) {
      return undefined;
    }
    const text = new TerminalText(element, () => onCut(true));
    let drawn: string[] = [];
    let pinned = true;
    const reset = () => {
      text.reset();
      drawn = [];
    };
    const onScroll = () => {
      pinned = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    };
    const draw = () => {
      const length = textLength(store.view, itemId, 'output');
      if (length < text.length) {
        reset();
      }
      if (length > text.length) {
        const piece = textFrom(store.view, itemId, 'output', text.length);
        drawn.push(piece);
        text.append(piece);
        if (pinned) {
          element.scrollTop = element.scrollHeight;
        }
      }
      return false;
    };
    const follow = () => {
      const shown = shownItem;
      shownItem = store.view.items.get(itemId);
      // A replaced item may have another text, even a longer one or one of the same length.
      if (shown !== shownItem && !textOf(store.view, itemId, 'output').startsWith(drawn.join(''))) {
        reset();
      }
      inNextFrame(draw);
    };
    let shownItem = store.view.items.get(itemId);
    element.addEventListener('scroll', onScroll, { passive: true });
    draw();
    const unsubscribe = store.subscribeItem(itemId, follow);
    return () => {
      unsubscribe();
      cancelFrame(draw);
      element.removeEventListener('scroll', onScroll);
      element.replaceChildren();
    };
  }, [store, itemId]);
  return <pre class="acp-out" tabIndex={0} role="group" aria-label={label} dir="ltr" ref={host} />;
}

interface TerminalPagesProps {
  readonly itemId: string;
  readonly label: string;
  /** Number of the page, from 1; `end` for the last. */
  readonly page: string;
  readonly onPage: (page: string) => void;
}

/** All output until now, by pages; it does not follow the end. */
export function TerminalPages({ itemId, label, page, onPage }: TerminalPagesProps) {
  const { store, t } = useScene();
  const host = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => screenLines(textOf(store.view, itemId, 'output')), [itemId, page]);
  const pageNumber = page === 'end' ? pagesOf(lines.length) : Number(page);
  useLayoutEffect(() => {
    const shown = lines.slice((pageNumber - 1) * PAGE_LINES, pageNumber * PAGE_LINES);
    if (host.current !== null) {
      host.current.replaceChildren(render(shown.join('\n')));
      host.current.scrollTop = page === 'end' ? host.current.scrollHeight : 0;
    }
  }, [lines, pageNumber]);
  return (
    <>
      <pre class="acp-out" tabIndex={0} role="group" aria-label={label} dir="ltr" ref={host} />
      <p class="acp-pages">
        <Pager page={pageNumber} lines={lines.length} onPage={next => onPage(String(next))} />
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
