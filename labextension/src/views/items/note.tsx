import type { ErrorItem, Notice } from '../../wire/types';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';

/** What went wrong, what it means, what to do; further lines below. */
export function ErrorNote({ message, detail }: Readonly<Pick<ErrorItem, 'message' | 'detail'>>) {
  const { t } = useScene();
  return (
    <div class="acp-note" data-tone="error" role="group" aria-label={t('Error')}>
      <Icon name="warning" />
      <div>
        <p dir="auto">
          <Visible text={message} />
        </p>
        {detail !== '' && (
          <div class="acp-code">
            <pre class="wrap" tabIndex={0} role="group" aria-label={t('Details')} dir="ltr">
              <Visible text={detail} />
            </pre>
          </div>
        )}
      </div>
    </div>
  );
}

const TONES = { info: 'info', warning: 'warn', error: 'error' } as const;

export function NoticeNote({ item }: { readonly item: Notice }) {
  const tone = TONES[item.severity];
  return (
    <div class="acp-note" data-tone={tone}>
      {tone !== 'info' && <Icon name="warning" />}
      <div>
        {item.title !== '' && (
          <p dir="auto">
            <b>{item.title}</b>
          </p>
        )}
        {item.text !== '' && <p dir="auto">{item.text}</p>}
      </div>
    </div>
  );
}
