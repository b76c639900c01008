import { grouped } from '../i18n';
import { useScene } from '../scene';

/** Most lines of a text that are mounted. */
export const PAGE_LINES = 500;

interface PagerProps {
  /** From 1. */
  readonly page: number;
  /** Lines in all. */
  readonly lines: number;
  readonly onPage: (page: number) => void;
}

export function pagesOf(lines: number): number {
  return Math.max(1, Math.ceil(lines / PAGE_LINES));
}

/** Buttons that page through a long text; nothing if it has one page. */
export function Pager({ page, lines, onPage }: PagerProps) {
  const { t } = useScene();
  const last = pagesOf(lines);
  if (last === 1) {
    return null;
  }
  const first = (page - 1) * PAGE_LINES + 1;
  return (
    <span class="acp-pager" role="group" aria-label={t('Parts of the text')}>
      <span class="num">
        {t(
          '%1 to %2 of %3 lines',
          grouped(first),
          grouped(Math.min(lines, first + PAGE_LINES - 1)),
          grouped(lines),
        )}
      </span>
      <button
        type="button"
        class="btn quiet small"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        {t('Earlier')}
      </button>
      <button
        type="button"
        class="btn quiet small"
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        {t('Later')}
      </button>
    </span>
  );
}
