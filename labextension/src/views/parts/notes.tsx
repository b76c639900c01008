import type { ComponentChildren } from 'preact';

import type { ErrorItem, Notice } from '../../wire/types';
import type { Connection } from '../props';
import { useNow, useScene } from '../scene';
import { Disclosure } from './disclosure';
import { Icon } from './icons';
import { Visible } from './odd_characters';

interface ErrorNoteProps {
  readonly message: ErrorItem['message'];
  readonly detail: ErrorItem['detail'];
  /** The agent's error code. */
  readonly code?: ErrorItem['code'];
}

/** An error: its message, its code, and details to open. */
export function ErrorNote({ message, detail, code = '' }: ErrorNoteProps) {
  const { t } = useScene();
  return (
    <div class="acp-note" data-tone="error" role="group" aria-label={t('Error')}>
      <Icon name="warning" />
      <div>
        <p dir="auto">
          <Visible text={message} />
        </p>
        {code !== '' && (
          <p class="muted">
            {t('Code')} <code>{code}</code>
          </p>
        )}
        {detail !== '' && <Detail text={detail} />}
      </div>
    </div>
  );
}

const TONES = { info: 'info', warning: 'warn', error: 'error' } as const;

interface NoticeProps {
  readonly item: Notice;
  /** What can be done about it. */
  readonly children?: ComponentChildren;
}

/** A notice of the agent; one with details is a line that opens. */
export function NoticeNote({ item, children }: NoticeProps) {
  const tone = TONES[item.severity];
  if (item.detail !== '') {
    return <NoticeLine item={item} />;
  }
  const quiet = tone === 'info' && item.title === '';
  return (
    <div class={quiet ? 'acp-note quiet' : 'acp-note'} data-tone={tone}>
      {tone !== 'info' && <Icon name="warning" />}
      <div>
        {item.title !== '' && (
          <p dir="auto">
            <b>
              <Visible text={item.title} strictness="controls" />
            </b>
          </p>
        )}
        {item.text !== '' && (
          <p dir="auto">
            <Visible text={item.text} strictness="controls" />
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

function NoticeLine({ item }: { readonly item: Notice }) {
  const { t } = useScene();
  const { id, severity, title, text, detail } = item;
  return (
    <Disclosure
      id={id}
      standard={false}
      class="acp-notice"
      bodyClass="acp-body"
      attributes={{ 'data-tone': TONES[severity], 'data-item': id }}
      line={
        <>
          <Icon name={severity === 'info' ? 'other' : 'warning'} />
          {severity !== 'info' && <span class="vh">{t(severity)}</span>}
          <span class="t" dir="auto">
            <Visible text={title === '' ? text : title} strictness="controls" />
          </span>
          <span class="d cut grow" dir="auto">
            <Visible text={title === '' ? '' : text} strictness="controls" />
          </span>
        </>
      }
      body={() => <Detail text={detail} />}
    />
  );
}

function Detail({ text }: { readonly text: string }) {
  const { t } = useScene();
  return (
    <div class="acp-code">
      <pre class="wrap acp-out" tabIndex={0} role="group" aria-label={t('Details')} dir="ltr">
        <Visible text={text} />
      </pre>
    </div>
  );
}

/** Says that the connection is lost, that the turn still runs, and when the page retries. */
export function ConnectionNote({ connection }: { readonly connection: Connection | undefined }) {
  return connection?.state === 'lost' ? <Lost {...connection} /> : null;
}

function Lost({ retryAt, failure }: Extract<Connection, { state: 'lost' }>) {
  const { actions, t } = useScene();
  const now = useNow(retryAt !== null);
  const seconds = retryAt === null ? 0 : Math.ceil(retryAt / 1000 - now);
  const again = seconds > 0 ? t('Trying again in %1 s.', seconds) : t('Trying again.');
  return (
    <div class="acp-note" data-tone="warn">
      <Icon name="offline" />
      <div>
        <p role="status" aria-live="off">
          <b>{failure === null ? t('Connection lost.') : t('Not connected.')}</b>{' '}
          {[
            failure?.message ?? '',
            retryAt === null && failure !== null ? '' : again,
            failure === null ? t('The turn continues on the server; nothing is lost.') : '',
          ]
            .filter(words => words !== '')
            .join(' ')}
        </p>
        {actions?.reconnect !== undefined && (
          <div class="row">
            <button type="button" class="btn small" onClick={() => actions.reconnect?.()}>
              {t('Try now')}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
