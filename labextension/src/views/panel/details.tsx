import type { SessionState } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { plural } from '../parts/format';
import { useScene } from '../parts/scene';

/** What an agent tells of its model and tools beside what can be chosen; one line. */
export function SessionDetails({ session }: { readonly session: SessionState }) {
  const { t } = useScene();
  const { model, tools } = session;
  const words = [
    model === '' ? '' : t('Model %1', model),
    tools.length === 0 ? '' : plural(t, tools.length, '1 tool', '%1 tools'),
  ].filter(part => part !== '');
  if (words.length === 0) {
    return null;
  }
  return (
    <Disclosure
      id={`details ${session.session_id}`}
      standard={false}
      class="acp-details"
      attributes={{ role: 'group', 'aria-label': t('Session details') }}
      line={<span class="cut grow">{words.join(' · ')}</span>}
      body={() => (
        <ul role="list" aria-label={t('Tools')}>
          {tools.map((tool, index) => (
            <li key={index}>{tool}</li>
          ))}
        </ul>
      )}
    />
  );
}
