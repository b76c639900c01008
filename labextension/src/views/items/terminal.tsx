import { useLayoutEffect, useRef } from 'preact/hooks';

import { textFrom, textLength, textOf } from '../../state/texts';
import { cancelFrame, inNextFrame } from '../parts/frame';
import { useScene } from '../parts/scene';
import { TerminalText } from './terminal_text';

interface TerminalProps {
  readonly itemId: string;
  readonly label: string;
}

/** Text output of a tool call, with colours; its end is kept in view. */
export function Terminal({ itemId, label }: TerminalProps) {
  const { store } = useScene();
  const host = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) {
      return undefined;
    }
    const text = new TerminalText(element);
    let pinned = true;
    const onScroll = () => {
      pinned = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    };
    const draw = () => {
      const length = textLength(store.view, itemId, 'output');
      if (length < text.length) {
        text.reset();
      }
      if (length > text.length) {
        text.append(textFrom(store.view, itemId, 'output', text.length));
        if (pinned) {
          element.scrollTop = element.scrollHeight;
        }
      }
      return false;
    };
    const follow = () => {
      const shown = shownItem;
      shownItem = store.view.items.get(itemId);
      // A replaced item may hold another text of whatever length.
      if (shown !== shownItem && textOf(store.view, itemId, 'output').length !== text.length) {
        text.reset();
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
