import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { FoldedDiff } from '../diff/file_diff';
import { detailsOf, Fields, fieldsOf } from '../parts/fields';
import { oddNames, Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

/** Longest value of an input that is shown. */
const MAX_FIELD = 20_000;

/** All that would be allowed: command, paths, input, diffs; nothing cut or behind a scroll bar. */
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
  const fields =
    command === '' && diffs.length === 0 ? fieldsOf(item.raw_input, shown, MAX_FIELD) : [];
  const rows = [...fields, ...detailsOf(item, fields)];
  // A terminal's output does not belong to the request.
  const output = item.terminal === null ? textOf(store.view, item.id, 'output').trim() : '';
  const outputShown = shown.some(text => text.includes(output)) ? '' : output;
  const folder = item.permission?.folder ?? '';
  const odd = oddNames([command, folder, ...paths], 'lookalikes');
  const hidden = oddNames(
    [outputShown, ...diffs.map(diff => diff.new_text), ...rows.flat()],
    'invisible',
  );
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
      {rows.length > 0 && <Fields rows={rows} />}
      {outputShown !== '' && (
        <div class="acp-code">
          <pre class="wrap" tabIndex={0} role="group" aria-label={t('Details')} dir="auto">
            <Visible text={outputShown} />
          </pre>
        </div>
      )}
      {diffs.map((diff, index) => (
        <FoldedDiff key={index} id={`${item.id} permission ${index}`} diff={diff} />
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
        {[...new Set([...odd, ...hidden])].map(name => (
          <Row key={name} name={t('Caution')} outside>
            {name}
          </Row>
        ))}
      </dl>
    </div>
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
