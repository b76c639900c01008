import { useCallback } from 'preact/hooks';

import { textLength } from '../../state/texts';
import type { Thought } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { between, duration } from '../parts/format';
import { useNow, useSubscription } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Prose } from './prose';

/** Reasoning: one line, closed unless the user wants thoughts open. */
export function ThoughtLine({ item }: { readonly item: Thought }) {
  const { store, t } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  if (textLength(store.view, item.id, 'text') === 0) {
    return null;
  }
  const { ui } = store;
  const seconds = duration(between(item.started_at, item.ended_at));
  return (
    <Disclosure
      id={item.id}
      standard={item.open && ui.thoughtsOpen}
      class="acp-thought"
      onToggle={open => {
        if (item.open) {
          ui.thoughtsOpen = open;
        }
      }}
      line={
        <>
          <Icon name="think" />
          <span>
            {item.open
              ? t('Thinking')
              : seconds === ''
                ? t('Thought')
                : t('Thought for %1', seconds)}
          </span>
          <span class="grow" />
          {item.open && <Running since={item.started_at} />}
        </>
      }
      body={() => <Prose itemId={item.id} open={item.open} class="acp-thought-text" />}
    />
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
