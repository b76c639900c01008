import { useEffect, useState } from 'preact/hooks';

import type { TrafficDetail, TrafficLine } from '../../wire/types';
import type { Actions } from '../actions';
import { ErrorNote } from '../items/note';
import { ActionButton, IconButton, messageOf } from '../parts/buttons';
import { bytes } from '../parts/format';
import { useScene } from '../parts/scene';
import { nameOf, timeOf, WAYS } from './traffic_list';

interface TrafficDetailProps {
  readonly sessionId: string;
  readonly line: TrafficLine;
  readonly actions: Actions;
  readonly onClose: () => void;
}

/** One line, written out; it is fetched when it is opened. */
export function TrafficDetailBox({ sessionId, line, actions, onClose }: TrafficDetailProps) {
  const { t } = useScene();
  const [detail, setDetail] = useState<TrafficDetail | null>(null);
  const [failure, setFailure] = useState('');
  const { trafficLine } = actions;
  useEffect(() => {
    let gone = false;
    trafficLine?.(sessionId, line.place)
      .then(found => {
        if (!gone) {
          setDetail(found);
        }
      })
      .catch((error: unknown) => {
        if (!gone) {
          setFailure(messageOf(error));
        }
      });
    return () => {
      gone = true;
    };
  }, [trafficLine, sessionId, line.place]);
  const name = t('Line %1', line.seq);
  return (
    <section class="acp-traffic-detail" aria-label={name}>
      <header>
        <b>{name}</b>
        <span class="cut grow">{nameOf(line, t)}</span>
        {actions.copy !== undefined && detail !== null && (
          <ActionButton
            class="btn quiet small"
            run={async () => actions.copy?.(detail.text)}
            onFailure={setFailure}
          >
            {t('Copy')}
          </ActionButton>
        )}
        <IconButton icon="close" label={t('Close line')} onClick={onClose} />
      </header>
      <p class="muted">
        {[t(WAYS[line.direction]), line.method, timeOf(line.at), bytes(line.size)]
          .filter(part => part !== '')
          .join(' · ')}
      </p>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {detail === null && failure === '' && <p class="muted acp-empty">{t('Loading')}</p>}
      {detail !== null && (
        <pre class="acp-scroll" tabIndex={0} role="group" aria-label={t('Message')} dir="ltr">
          {detail.text}
        </pre>
      )}
      {detail?.cut === true && (
        <p class="muted">{t('This is only its beginning. Export the traffic to see all of it.')}</p>
      )}
    </section>
  );
}
