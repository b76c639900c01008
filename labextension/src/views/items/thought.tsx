import { useCallback, useLayoutEffect } from 'preact/hooks';

import { textLength } from '../../state/texts';
import type { Thought } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { between, duration } from '../parts/format';
import { useNow, useSubscription } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { Prose } from './prose';

/** Reasoning, or a named step: one line, closed unless the user wants thoughts open. */
export function ThoughtLine({ item }: { readonly item: Thought }) {
  const { store } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  const { ui } = store;
  const opensItself = item.open && ui.thoughtsOpen && !ui.isTouched(item.id);
  useLayoutEffect(() => {
    // It stays open when it has ended: somebody may be reading it.
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

/** Seconds so far, beside the one moving mark of running work. */
export function Running({ since }: { readonly since: number | null }) {
  const now = useNow(true);
  const seconds = since === null ? 0 : Math.floor(now - since);
  return (
    <span class="m num">
      {seconds > 0 && <span>{duration(seconds)}</span>}
      <span class="spin" aria-hidden="true" />
    </span>
  );
}
