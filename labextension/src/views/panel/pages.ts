import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { AddedPage } from '../additions';

/** The element that is focused first on each page. */
const FIRST: Readonly<Record<string, string>> = {
  session: '.acp-compose textarea',
  list: '.acp-search input',
  agents: '.acp-search input',
};

interface Pages {
  /** `session`, `list`, `agents`, or the id of a page that a feature added. */
  readonly page: string;
  readonly setPage: (page: string) => void;
  /** Escape goes back to the session. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Which page of the panel is shown; the focus follows. */
export function usePage(root: RefObject<HTMLElement | null>, added: readonly AddedPage[]): Pages {
  const [page, setPage] = useState('session');
  const former = useRef(page);
  useLayoutEffect(() => {
    const { activeElement: active } = document;
    const mine = active === document.body || root.current?.contains(active) === true;
    if (former.current !== page && mine) {
      const first = FIRST[page] ?? added.find(({ id }) => id === page)?.first;
      if (first !== undefined) {
        root.current?.querySelector<HTMLElement>(first)?.focus();
      }
    }
    former.current = page;
  }, [page]);
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      // In a search field Escape empties it first.
      const field = event.target instanceof HTMLInputElement ? event.target.value : '';
      if (event.key === 'Escape' && page !== 'session' && field === '') {
        event.stopPropagation();
        setPage('session');
      }
    },
    [page],
  );
  return { page, setPage, onKeyDown };
}
