import { useMemo, useState } from 'preact/hooks';

import type { CheckedCell, OutputDifference } from '../../../wire/types';
import { compareTexts } from '../../../views/diff/compare_lines';
import { LinesBody } from '../../../views/diff/lines_body';
import { Icon } from '../../../views/parts/icons';
import { useScene, useUniqueId } from '../../../views/scene';
import { VERDICTS } from './verdicts';

interface CheckedCellRowProps {
  readonly cell: CheckedCell;
  readonly goTo: (cellId: string) => void;
}

/** A cell with its verdict and its differences. */
export function CheckedCellRow({ cell, goTo }: CheckedCellRowProps) {
  const { t } = useScene();
  const { number, verdict, reason, differences } = cell;
  const [open, setOpen] = useState(verdict === 'different' || verdict === 'failed');
  const id = useUniqueId();
  const shown = VERDICTS.find(each => each.verdict === verdict);
  const pictures = verdict === 'same' && differences.length > 0;
  const note = pictures ? t('its pictures are not compared') : reason;
  return (
    <li class="acp-checked" data-verdict={verdict}>
      <div class="line">
        <Icon name={shown?.icon ?? 'other'} small />
        <button type="button" class="link" onClick={() => goTo(cell.cell_id)}>
          {t('Cell %1', number)}
        </button>
        <b>{t(shown?.name ?? verdict)}</b>
        <span class="muted cut" title={note} dir="auto">
          {note}
        </span>
        {differences.length > 0 && (
          <button
            type="button"
            class="btn quiet small"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={() => setOpen(!open)}
          >
            {open ? t('Hide') : pictures ? t('Show the pictures') : t('Show')}
          </button>
        )}
      </div>
      {open && differences.length > 0 && (
        <div id={id} class="acp-checked-differences">
          {differences.map(each => (
            <Difference key={each.kind} difference={each} number={number} />
          ))}
        </div>
      )}
    </li>
  );
}

interface DifferenceProps {
  readonly difference: OutputDifference;
  readonly number: number;
}

function Difference({ difference, number }: DifferenceProps) {
  const { t } = useScene();
  const { kind, old, new: now } = difference;
  const comparison = useMemo(
    () => (difference.counts ? compareTexts(old ?? '', now ?? '') : null),
    [difference, old, now],
  );
  return (
    <section role="region" aria-label={t('%1 of cell %2', kind, number)}>
      <h3>{kind}</h3>
      {!difference.counts ? (
        <div class="acp-checked-pictures">
          <Picture kind={kind} data={old} name={t('Before')} />
          <Picture kind={kind} data={now} name={t('Now')} />
        </div>
      ) : kind === 'error' ? (
        <pre class="acp-checked-error">{now}</pre>
      ) : comparison === null ? (
        <p class="muted acp-empty">{t('This is too large to compare here.')}</p>
      ) : (
        <div class="acp-diff">
          <LinesBody comparison={comparison} id={`check ${number} ${kind}`} />
        </div>
      )}
    </section>
  );
}

interface PictureProps {
  readonly kind: string;
  readonly data: string | null;
  readonly name: string;
}

function Picture({ kind, data, name }: PictureProps) {
  const { t } = useScene();
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {data === null ? (
        <p class="muted">{t('none, or too large')}</p>
      ) : (
        <img src={`data:${kind};base64,${data.replace(/[^A-Za-z0-9+/=]/g, '')}`} alt={name} />
      )}
    </figure>
  );
}
