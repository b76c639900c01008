import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The page that the panel shows. */
export type Page = 'session' | 'list' | 'agents' | 'outside';

/** The element that is focused first on each page. */
const FIRST: Record<Page, string> = {
  session: '.acp-compose textarea',
  list: '.acp-search input',
  agents: '.acp-search input',
  outside: '.acp-outside input',
};

interface Pages {
  readonly page: Page;
  readonly setPage: (page: Page) => void;
  /** Escape goes back to the session. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Which page of the panel is shown; the focus follows. */
export function usePage(root: RefObject<HTMLElement | null>): Pages {
  const [page, setPage] = useState<Page>('session');
  const former = useRef(page);
  useLayoutEffect(() => {
    const { activeElement: active } = document;
    const mine = active === document.body || root.current?.contains(active) === true;
    if (former.current !== page && mine) {
      root.current?.querySelector<HTMLElement>(FIRST[page])?.focus();
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
