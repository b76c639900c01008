import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { FoldedDiff } from '../diff/file_diff';
import { grouped } from '../i18n';
import { Fields, shorten } from '../parts/fields';
import type { Field } from '../parts/fields';
import { oddNames, Visible } from '../parts/odd_characters';
import { useUnread } from '../unread';
import { useScene, useValue } from '../scene';

/** From this number of lines on a diff is folded, so that its visible part gets read. */
const FOLDED_LINES = 80;

/** Replaces a secret. */
const REDACTED = '[redacted]';

/** Longer values are folded. */
const FOLDED_CHARACTERS = 2_000;

/** If there are more fields, the others are folded. */
const FOLDED_FIELDS = 40;

/** Everything that would be allowed: command, paths, input, diffs; folded parts can be opened. */
export function PermissionDetails({
  item,
  reason,
}: {
  readonly item: ToolCall;
  readonly reason: string;
}) {
  const { store, t } = useScene();
  const { command, path, diffs } = item;
  const paths = useMemo(() => {
    const all = [
      path,
      ...item.locations.map(location => location.path),
      ...diffs.map(diff => diff.path),
    ];
    // The folder itself is shown in its own row.
    const named = command === '' ? [''] : ['', '.'];
    return [...new Set(all)].filter(each => !named.includes(each));
  }, [item]);
  const shownByDiff = new Set(diffs.map(diff => diff.path));
  const listed = paths.filter(each => isOutside(each) || !shownByDiff.has(each)).sort(outsideFirst);
  const words = item.description === '' ? item.title : `${item.title} ${item.description}`;
  const shown = [item.title, item.description, reason, command, ...paths];
  const details = item.permission?.details ?? [];
  const rows = details.map(({ name, value }): Field => [name, value]);
  // A terminal's output does not belong to the request.
  const output = item.terminal === null ? textOf(store.view, item.id, 'output').trim() : '';
  const outputShown = shown.some(text => text.includes(output)) ? '' : output;
  const folder = item.permission?.folder ?? '';
  const odd = oddNames([command, folder, ...paths], 'lookalikes');
  const hidden = oddNames(
    [outputShown, ...diffs.map(diff => diff.new_text), ...rows.flat()],
    'invisible',
  );
  const isSecret = [
    command,
    folder,
    ...paths,
    ...rows.flat(),
    ...diffs.map(diff => diff.new_text),
  ].some(text => text.includes(REDACTED));
  const isAllInWords = command === '' && listed.length === 0 && diffs.length === 0;
  return (
    <div class="what">
      {isAllInWords && <p dir="auto">{words}</p>}
      {command !== '' && (
        <div class="acp-code">
          <pre class="wrap" tabIndex={0} role="group" aria-label={t('Command')} dir="ltr">
            <Visible text={command} strictness="lookalikes" />
          </pre>
        </div>
      )}
      {listed.length > 0 && (
        <dl>
          {listed.map(each => (
            <Row
              key={each}
              name={isOutside(each) ? t('Outside the folder') : t('File')}
              outside={isOutside(each)}
            >
              <Visible text={each} strictness="lookalikes" />
            </Row>
          ))}
        </dl>
      )}
      {rows.length > 0 && <AllFields id={`${item.id} permission fields`} rows={rows} />}
      {outputShown !== '' && (
        <div class="acp-code">
          <pre class="wrap" tabIndex={0} role="group" aria-label={t('Details')} dir="auto">
            <Visible text={outputShown} />
          </pre>
        </div>
      )}
      {diffs.map((diff, index) => (
        <FoldedDiff
          key={index}
          id={`${item.id} permission ${index}`}
          diff={diff}
          most={FOLDED_LINES}
        />
      ))}
      <dl>
        {folder !== '' && (
          <Row name={isOutside(folder) ? t('Outside the folder') : t('Folder')} outside>
            <Visible text={folder} strictness="lookalikes" />
          </Row>
        )}
        {command !== '' && folder === '' && store.view.session !== null && (
          <Row name={t('Folder')}>{store.view.session.folder}</Row>
        )}
        {reason !== '' && !(isAllInWords && words.includes(reason)) && (
          <>
            <dt>{t('Reason')}</dt>
            <dd dir="auto">
              <Visible text={reason} />
            </dd>
          </>
        )}
        {item.permission?.cautions.map(words => (
          <Row key={words} name={t('Caution')} outside>
            <Visible text={words} strictness="lookalikes" />
          </Row>
        ))}
        {item.permission?.too_large === true && (
          <Row name={t('Caution')} outside>
            {t('This request is too large to be shown, so it can’t be allowed.')}
          </Row>
        )}
        {isSecret && (
          <Row name={t('Caution')} outside>
            {t('It contains a secret, which is not shown: %1', REDACTED)}
          </Row>
        )}
        {[...new Set([...odd, ...hidden])].map(name => (
          <Row key={name} name={t('Caution')} outside>
            {name}
          </Row>
        ))}
      </dl>
    </div>
  );
}

interface AllFieldsProps {
  readonly id: string;
  readonly rows: readonly Field[];
}

/** The fields that the agent sent; long values and many fields are folded. */
function AllFields({ id, rows }: AllFieldsProps) {
  const { actions, t } = useScene();
  const [opened, setOpened] = useValue(id);
  const isLong =
    rows.length > FOLDED_FIELDS || rows.some(([, value]) => value.length > FOLDED_CHARACTERS);
  const isFolded = isLong && opened === '' && actions !== null;
  const open = () => setOpened('1');
  useUnread(id, isFolded, open);
  const characters = rows.reduce((sum, [, value]) => sum + value.length, 0);
  const first = rows
    .slice(0, FOLDED_FIELDS)
    .map(([name, value]): Field => [name, shorten(value, FOLDED_CHARACTERS)]);
  return (
    <>
      <Fields rows={isFolded ? first : rows} />
      {isFolded && (
        <button type="button" class="btn quiet small" onClick={open}>
          {rows.length > FOLDED_FIELDS
            ? t('Show all %1 fields', grouped(rows.length))
            : t('Show all %1 characters', grouped(characters))}
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly outside?: boolean;
  readonly children: ComponentChildren;
}

function Row({ name, outside = false, children }: RowProps) {
  return (
    <>
      <dt class={outside ? 'warn' : undefined}>{name}</dt>
      <dd class="mono" dir="ltr">
        {children}
      </dd>
    </>
  );
}

function isOutside(path: string): boolean {
  return path.startsWith('/') || path.startsWith('..') || /^[A-Za-z]:[\\/]/.test(path);
}

function outsideFirst(one: string, other: string): number {
  return Number(isOutside(other)) - Number(isOutside(one));
}
