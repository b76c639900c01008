import { useLayoutEffect, useRef } from 'preact/hooks';

import { textFrom, textLength, textOf } from '../../state/texts';
import { loadImage } from '../markdown/boxes';
import { Writer } from '../markdown/writer';
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
  const writer = useRef<Writer | null>(null);

  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) {
      return undefined;
    }
    const made = new Writer(element, { t, controls: actions !== null });
    writer.current = made;
    const take = () => {
      const { view } = store;
      if (textLength(view, itemId, 'text') > made.length) {
        made.append(textFrom(view, itemId, 'text', made.length));
      }
    };
    const unsubscribe = store.subscribeItem(itemId, take);
    return () => {
      unsubscribe();
      made.dispose();
    };
  }, [store, itemId, actions === null]);

  const item = store.view.items.get(itemId);
  useLayoutEffect(() => {
    // A replaced item may hold another text than what was streamed.
    writer.current?.become(textOf(store.view, itemId, 'text'), open);
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
