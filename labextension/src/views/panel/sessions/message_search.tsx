import { useEffect, useState } from 'preact/hooks';

import type { FoundSessions, FoundText, SessionSummary } from '../../../wire/types';
import type { Actions } from '../../actions';
import { grouped, plural } from '../../i18n';
import type { Translate } from '../../i18n';
import { messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { ErrorNote } from '../../parts/notes';
import { TitleText, Visible } from '../../parts/odd_characters';
import type { Trash } from './trash';

/** Pause in typing after which prompts and answers are searched. */
const TYPED_MILLISECONDS = 300;

/** Shorter texts are looked for in titles only. */
const MIN_CHARACTERS = 2;

/** Most results that are listed. */
const MAX_HITS = 100;

/** The results so far of a search in prompts and answers. */
interface Said {
  /** The searched text; empty for none. */
  readonly text: string;
  readonly hits: readonly FoundText[];
  /** `null` until the first reply. */
  readonly searched: Pick<FoundSessions, 'searched' | 'total'> | null;
  readonly running: boolean;
  /** Whether there may be more results. */
  readonly cut: boolean;
  readonly failure: string;
}

const NOTHING: Said = {
  text: '',
  hits: [],
  searched: null,
  running: false,
  cut: false,
  failure: '',
};

/** Searches prompts and answers, part by part, until another text is typed; `null` if it can't. */
export function useSaid(search: string, look: Actions['search']): Said | null {
  const [said, setSaid] = useState(NOTHING);
  const text = search.trim();
  useEffect(() => {
    if (look === undefined || text.length < MIN_CHARACTERS) {
      setSaid(NOTHING);
      return undefined;
    }
    let stopped = false;
    let found: Said = { ...NOTHING, text, running: true };
    const tell = (next: Partial<Said>) => {
      found = { ...found, ...next };
      setSaid(found);
    };
    const run = async () => {
      let cursor = '';
      do {
        const part = await look(text, cursor);
        if (stopped) {
          return;
        }
        const hits = [...found.hits, ...part.hits].slice(0, MAX_HITS);
        const full = hits.length === MAX_HITS;
        cursor = full ? '' : part.next_cursor;
        const cut = found.cut || part.cut || full;
        tell({ hits, searched: part, running: cursor !== '', cut });
      } while (cursor !== '');
    };
    tell({});
    const timer = setTimeout(() => {
      run().catch((error: unknown) => {
        if (!stopped) {
          tell({ running: false, failure: messageOf(error) });
        }
      });
    }, TYPED_MILLISECONDS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [text, look]);
  return look === undefined ? null : said;
}

interface SaidPartProps {
  readonly said: Said;
  readonly sessions: readonly SessionSummary[];
  readonly trash: Trash;
  readonly t: Translate;
  readonly onOpen: (sessionId: string, turnId: string) => void;
}

/** Prompts and answers with the searched text; a click opens the session there. */
export function SaidPart({ said, sessions, trash, t, onOpen }: SaidPartProps) {
  const name = t('In messages');
  const titles = new Map(sessions.map(session => [session.session_id, session.title]));
  const hits = said.hits.filter(({ session_id: id }) => titles.has(id) && !trash.hasSent(id));
  return (
    <section class="acp-said" aria-label={name} aria-busy={said.running}>
      <h3>{name}</h3>
      <p class="muted" role="status">
        {said.running && <span class="spin" aria-hidden="true" />}
        {saidWords(said, hits.length, t)}
      </p>
      {said.failure !== '' && <ErrorNote message={said.failure} detail="" />}
      <ul role="list" aria-label={name}>
        {hits.map(hit => (
          <li key={`${hit.session_id} ${hit.turn_id} ${hit.where}`}>
            <button type="button" class="s" onClick={() => onOpen(hit.session_id, hit.turn_id)}>
              <Icon name={hit.where === 'prompt' ? 'cell' : 'agent'} />
              <span class="t cut" dir="auto">
                <TitleText text={titles.get(hit.session_id) || t('New session')} />
              </span>
              <span class="sub">
                <span dir="auto">
                  <span class="vh">{hit.where === 'prompt' ? t('Prompt') : t('Answer')}: </span>
                  <Visible text={hit.before} strictness="controls" />
                  <mark>
                    <Visible text={hit.match} strictness="controls" />
                  </mark>
                  <Visible text={hit.after} strictness="controls" />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function saidWords({ searched, running, cut, failure }: Said, count: number, t: Translate): string {
  if (running) {
    return searched === null
      ? t('Searching messages')
      : t('Searched %1 of %2 sessions', grouped(searched.searched), grouped(searched.total));
  }
  if (failure !== '') {
    return '';
  }
  const words = count === 0 ? t('Nothing found.') : plural(t, count, '1 place', '%1 places');
  return cut ? `${words} ${t('There may be more; type more words.')}` : words;
}
