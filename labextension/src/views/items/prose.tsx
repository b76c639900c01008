import { useLayoutEffect, useRef } from 'preact/hooks';

import { textFrom, textLength, textOf } from '../../state/texts';
import { loadImage } from '../markdown/boxes';
import { MarkdownStream } from '../markdown/stream';
import { cancelFrame, inNextFrame } from '../parts/frame';
import { useScene } from '../parts/scene';

interface ProseProps {
  readonly itemId: string;
  /** Whether more text may follow. */
  readonly open: boolean;
  readonly class?: string;
}

/** The Markdown of an item. Its elements are not Preact's: text is only appended to them. */
export function Prose({ itemId, open, class: kind = 'acp-prose' }: ProseProps) {
  const { store, actions, t } = useScene();
  const host = useRef<HTMLDivElement>(null);
  const stream = useRef<MarkdownStream | null>(null);

  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) {
      return undefined;
    }
    const made = new MarkdownStream(element, { t, controls: actions !== null });
    stream.current = made;
    const work = throttled(() => made.flush());
    const take = () => {
      const { view } = store;
      const length = textLength(view, itemId, 'text');
      if (length > made.source.length) {
        made.append(textFrom(view, itemId, 'text', made.source.length));
        inNextFrame(work);
      }
    };
    made.append(textOf(store.view, itemId, 'text'));
    if (open) {
      work();
      inNextFrame(work);
    }
    const unsubscribe = store.subscribeItem(itemId, take);
    return () => {
      unsubscribe();
      cancelFrame(work);
      made.reset();
    };
  }, [store, itemId, actions === null]);

  const item = store.view.items.get(itemId);
  useLayoutEffect(() => {
    const made = stream.current;
    if (made === null) {
      return;
    }
    // A replaced item may hold another text than what was streamed.
    const whole = textOf(store.view, itemId, 'text');
    if (!whole.startsWith(made.source)) {
      made.reset();
      made.append(whole);
    } else if (whole.length > made.source.length) {
      made.append(whole.slice(made.source.length));
    }
    if (open) {
      made.flush();
    } else {
      made.finish();
    }
  }, [item, open, store, itemId, actions === null]);

  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest('[data-act]') : null;
    if (!(target instanceof HTMLElement)) {
      return;
    }
    if (target.dataset.act === 'image') {
      loadImage(target);
    } else if (target.dataset.act === 'copy') {
      const code = target.closest('.acp-code')?.querySelector('code')?.textContent ?? '';
      void actions?.copy?.(code);
    }
  };

  return <div class={`${kind}${open ? ' live' : ''}`} dir="auto" ref={host} onClick={onClick} />;
}

/** At most a fifth of the time goes into drawing, however long a block has become. */
function throttled(flush: () => boolean): () => boolean {
  let rest = 0;
  return () => {
    const start = performance.now();
    if (start < rest) {
      return true;
    }
    const more = flush();
    const cost = performance.now() - start;
    rest = cost > 4 ? start + 5 * cost : 0;
    return more;
  };
}
