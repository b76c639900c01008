import { useCallback, useLayoutEffect } from 'preact/hooks';

import { textLength } from '../../state/texts';
import type { Thought } from '../../wire/types';
import { between, duration } from '../i18n';
import { Prose } from '../markdown/prose';
import { Disclosure } from '../parts/disclosure';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene, useSubscription } from '../scene';
import { Running } from '../tool/tool_card';

/** A thought or a named step: one line, closed unless the user prefers thoughts open. */
export function ThoughtLine({ item }: { readonly item: Thought }) {
  const { store } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  const { ui } = store;
  const opensItself = item.open && ui.thoughtsOpen && !ui.isTouched(item.id);
  useLayoutEffect(() => {
    // It stays open after its end, since the user may be reading it.
    if (opensItself) {
      ui.setOpen(item.id, true);
    }
  }, [opensItself, ui, item.id]);
  if (textLength(store.view, item.id, 'text') === 0) {
    return item.title === '' ? null : (
      <div class="acp-thought">
        <div class="acp-line">
          <ThoughtWords item={item} />
        </div>
      </div>
    );
  }
  return (
    <Disclosure
      id={item.id}
      standard={opensItself}
      class="acp-thought"
      onToggle={open => {
        if (item.open) {
          ui.thoughtsOpen = open;
        }
      }}
      line={<ThoughtWords item={item} />}
      body={() => <Prose itemId={item.id} open={item.open} class="acp-thought-text" />}
    />
  );
}

function ThoughtWords({
  item: { title, open, started_at: start, ended_at: end },
}: {
  readonly item: Thought;
}) {
  const { t } = useScene();
  const seconds = duration(between(start, end));
  const thought = seconds === '' ? t('Thought') : t('Thought for %1', seconds);
  return (
    <>
      <Icon name="think" />
      {title === '' ? (
        <span>{open ? t('Thinking') : thought}</span>
      ) : (
        <span class="t" dir="auto">
          <Visible text={title} strictness="controls" />
        </span>
      )}
      <span class="grow" />
      {open ? (
        <Running since={start} />
      ) : (
        title !== '' && seconds !== '' && <span class="m num">{seconds}</span>
      )}
    </>
  );
}
