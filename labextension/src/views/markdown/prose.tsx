import { useLayoutEffect, useRef } from 'preact/hooks';

import { textFrom, textLength, textOf } from '../../state/texts';
import { useScene } from '../scene';
import { actOnCode, nameCellButtons } from './code_block';
import { loadImage } from './decorate';
import { Enricher } from './enrich';
import { Writer } from './writer';

interface ProseProps {
  readonly itemId: string;
  /** Whether more text may follow. */
  readonly open: boolean;
  readonly class?: string;
}

const CELL_BUTTONS = '[data-act=insert], [data-act=replace]';

/** The Markdown of an item, drawn without Preact so that growing text is only appended. */
export function Prose({ itemId, open, class: kind = 'acp-prose' }: ProseProps) {
  const { store, actions, rendering, t, announce } = useScene();
  const host = useRef<HTMLDivElement>(null);
  const writer = useRef<Writer | null>(null);

  const cells = actions?.cells;
  const nameButtons = () => {
    const buttons = host.current?.querySelectorAll<HTMLElement>(CELL_BUTTONS);
    if (cells !== undefined && buttons !== undefined) {
      nameCellButtons(buttons, cells, t);
    }
  };

  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) {
      return undefined;
    }
    const enricher = rendering === undefined ? null : new Enricher(element, rendering, t);
    const options = { t, controls: actions !== null, code: actions ?? undefined };
    const created = new Writer(element, options, enricher?.take, enricher?.leave);
    writer.current = created;
    const take = () => {
      const { view } = store;
      if (textLength(view, itemId, 'text') > created.length) {
        created.append(textFrom(view, itemId, 'text', created.length));
      }
    };
    const unsubscribe = store.subscribeItem(itemId, take);
    const stopNaming = cells?.onChange(nameButtons);
    return () => {
      unsubscribe();
      stopNaming?.();
      enricher?.dispose();
      created.dispose();
    };
  }, [store, itemId, actions === null, cells, rendering]);

  const item = store.view.items.get(itemId);
  useLayoutEffect(() => {
    // A replaced item's text may differ from the streamed text.
    writer.current?.become(textOf(store.view, itemId, 'text'), open);
  }, [item, open, store, itemId, actions === null, cells, rendering]);

  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest('[data-act]') : null;
    if (!(target instanceof HTMLElement)) {
      return;
    }
    if (target.dataset.act === 'image') {
      loadImage(target);
    } else if (actions !== null) {
      actOnCode(target, actions, t, announce);
    }
  };

  return (
    <div
      class={`${kind}${open ? ' live' : ''}`}
      dir="auto"
      ref={host}
      onClick={onClick}
      // A cell above may have been inserted or deleted since.
      onPointerEnter={nameButtons}
      onFocusCapture={nameButtons}
    />
  );
}
