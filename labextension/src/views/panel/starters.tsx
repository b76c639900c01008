import { useEffect, useRef, useState } from 'preact/hooks';

import type { SessionState } from '../../wire/types';
import { Icon } from '../parts/icons';
import type { IconName } from '../parts/drawings';
import { useScene } from '../parts/scene';
import { DRAFT } from './composer';
import type { Mention } from './mention';

/** A message to begin with. */
interface Starter {
  readonly icon: IconName;
  readonly words: string;
  readonly mention?: Mention;
}

/** What a session with a notebook may begin with: a click writes it, nothing is sent. */
export function Starters({ session }: { readonly session: SessionState }) {
  const { store, actions, t } = useScene();
  const list = useRef<HTMLUListElement>(null);
  const error = useError();
  const path = session.notebook_path;
  if (path === '' || actions?.send === undefined) {
    return null;
  }
  const notebook = path.slice(path.lastIndexOf('/') + 1);
  const starters: Starter[] = [
    ...(error === null
      ? []
      : [
          {
            icon: 'warning' as const,
            words: t('Explain this error: %1', error.label),
            mention: error,
          },
        ]),
    { icon: 'cell', words: t('Explain what %1 does, step by step', notebook) },
    { icon: 'search', words: t('Find slow parts of %1', notebook) },
  ];
  const take = ({ words, mention }: Starter) => {
    if (mention !== undefined) {
      store.ui.attachments.add(mention.attachment);
    }
    store.ui.setValue(DRAFT, words);
    const box = list.current?.closest('.acp-panel')?.querySelector('textarea');
    box?.focus();
  };
  return (
    <ul class="acp-starters" role="list" aria-label={t('To begin with')} ref={list}>
      {starters.map(starter => (
        <li key={starter.words}>
          <button type="button" onClick={() => take(starter)}>
            <Icon name={starter.icon} />
            <span dir="auto">{starter.words}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The last error of the notebook, if its output is there. */
function useError(): Mention | null {
  const { actions } = useScene();
  const [error, setError] = useState<Mention | null>(null);
  const source = actions?.mentions;
  useEffect(
    () =>
      source?.find('', found => {
        setError(found.find(({ group }) => group === 'errors') ?? null);
      }),
    [source],
  );
  return error;
}
