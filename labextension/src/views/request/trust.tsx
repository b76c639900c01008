import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { TrustRequest } from '../../wire/types';
import { messageOf } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';
import { useAnswerable } from './answerable';
import { byWhom } from './answered_by';
import { bringIntoView } from './in_view';
import { RequestKey } from './request_keys';

/** The question whether agents may run in the session's folder, or its answer. */
export function TrustCard({ item }: { readonly item: TrustRequest }) {
  const { store, actions, t, announce } = useScene();
  const [answering, setAnswering] = useState(false);
  const [failure, setFailure] = useState('');
  const sent = useRef(false);
  const card = useRef<HTMLDivElement>(null);
  const answer = actions?.trustFolder;
  const pending = item.state === 'pending';
  const answerable = useAnswerable(card, item.request_id);

  useLayoutEffect(() => {
    if (pending) {
      if (card.current !== null) {
        bringIntoView(card.current);
      }
      announce(`${item.title} ${item.folder}. ${item.words}`, 'assertive');
    }
  }, [item.request_id, pending]);

  const send = (trust: boolean) => {
    if (sent.current || !answerable) {
      return;
    }
    sent.current = true;
    setAnswering(true);
    setFailure('');
    answer?.(store.sessionId, item.request_id, trust).catch((error: unknown) => {
      sent.current = false;
      setAnswering(false);
      setFailure(messageOf(error));
    });
  };
  if (!pending) {
    return (
      <div class="acp-line" role="group" aria-label={t('Folder trust')} data-state={item.state}>
        <Icon name="folder" />
        <span class="t">{t('Folder')}</span>
        <span class="d cut grow mono" dir="ltr">
          <Visible text={item.folder} strictness="lookalikes" />
        </span>
        <span class="m">{byWhom(item, t)}</span>
      </div>
    );
  }
  return (
    <div
      class="acp-question acp-request"
      role="group"
      aria-label={t('Folder trust')}
      aria-busy={answering}
      data-request={item.request_id}
      data-new={!answerable || undefined}
      tabIndex={-1}
      ref={card}
    >
      <header role="presentation">
        <Icon name="warning" />
        <b class="grow" dir="auto">
          {item.title}
        </b>
      </header>
      <div class="what">
        <dl>
          <dt>{t('Folder')}</dt>
          <dd class="mono" dir="ltr">
            <Visible text={item.folder} strictness="lookalikes" />
          </dd>
          <dt>{t('Agent')}</dt>
          <dd dir="auto">
            <Visible text={item.agent_name} />
          </dd>
        </dl>
        <p class="said">{item.words}</p>
      </div>
      {failure !== '' && (
        <p class="acp-failure err" role="alert">
          {failure}
        </p>
      )}
      {answer !== undefined && (
        <div class="acp-opts">
          {[true, false].map((trust, index) => (
            <button
              key={index}
              type="button"
              class={trust ? 'btn primary' : 'btn'}
              aria-keyshortcuts={String(index + 1)}
              data-option={index + 1}
              data-option-kind={trust ? 'allow_once' : 'reject_once'}
              disabled={answering || !answerable}
              onClick={() => send(trust)}
            >
              {trust ? t('Trust this folder') : t("Don't trust")}
              <kbd aria-hidden="true">{index + 1}</kbd>
            </button>
          ))}
          {answering && <span class="spin" aria-hidden="true" />}
          <RequestKey />
        </div>
      )}
    </div>
  );
}
