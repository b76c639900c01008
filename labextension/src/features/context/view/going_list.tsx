import { useId } from 'preact/hooks';

import { bytes } from '../../../views/i18n';
import { Icon } from '../../../views/parts/icons';
import { Visible } from '../../../views/parts/odd_characters';
import { useOpen, useScene } from '../../../views/scene';
import { pictureOf, sizeOf, summary, textOfBlock } from '../going_along';
import type { Going } from '../going_along';

interface GoingListProps {
  readonly all: readonly Going[];
  /** What is not known, or why nothing is. */
  readonly words: string;
  /** What doesn't go along, as its last line. */
  readonly more: string;
}

/** What goes along with a prompt: a line that opens to the blocks, each with *Take out*. */
export function GoingList({ all, words, more }: GoingListProps) {
  const { t } = useScene();
  const [open, setOpen] = useOpen('context preview', false);
  const bodyId = useId();
  if (all.length === 0 && words === '') {
    return null;
  }
  return (
    <div class="acp-going">
      {all.length > 0 && (
        <button
          type="button"
          class="acp-line"
          aria-expanded={open}
          aria-controls={open ? bodyId : undefined}
          title={t('What goes along with this prompt. The number of tokens is an estimate.')}
          onClick={() => setOpen(!open)}
        >
          <Icon name="chevron" small class="chev" />
          <span>{summary(all, t)}</span>
        </button>
      )}
      {words !== '' && <p class="muted">{words}</p>}
      {open && all.length > 0 && (
        <ul id={bodyId} role="list" aria-label={t('What goes along')}>
          {all.map(each => (
            <Row key={each.key} going={each} />
          ))}
          {more !== '' && <li class="muted">{more}</li>}
        </ul>
      )}
    </div>
  );
}

function Row({ going }: { readonly going: Going }) {
  const { t } = useScene();
  const { label, block, size, words, isOut, onToggle } = going;
  const picture = block === null ? null : pictureOf(block);
  const said = [block === null ? '' : bytes(sizeOf(block, size)), words].filter(Boolean).join(', ');
  return (
    <li class={isOut ? 'is-out' : undefined}>
      <div class="acp-going-head">
        <span class="cut">{label}</span>
        <span class="muted">{isOut ? t('not this time') : said}</span>
        <button
          type="button"
          class="btn quiet small"
          aria-label={isOut ? t('Put %1 back', label) : t('Take %1 out', label)}
          onClick={onToggle}
        >
          {isOut ? t('Put back') : t('Take out')}
        </button>
      </div>
      {!isOut && picture !== null && <img src={picture} alt={label} />}
      {!isOut && block !== null && picture === null && (
        <pre tabIndex={0} aria-label={label}>
          <Visible text={textOfBlock(block)} strictness="controls" />
        </pre>
      )}
    </li>
  );
}
