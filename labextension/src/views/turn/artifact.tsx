import type { Artifact, FileWriteItem } from '../../wire/types';
import { addressOf, FileLink, isInside, Path, useOpenFile } from '../parts/files';
import type { Address } from '../parts/files';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

const ICONS: Record<Artifact['type'], IconName> = {
  web_app: 'fetch',
  markdown: 'markdown',
  image: 'image',
  csv: 'table',
  excel: 'sheet',
  pptx: 'slides',
  docx: 'read',
  pdf: 'pdf',
  code: 'code',
  other: 'file',
};

/** An artifact: its type and path, and buttons that open or preview it. */
export function ArtifactCard({ item }: { readonly item: Artifact }) {
  const { actions, t } = useScene();
  const { open, failure } = useOpenFile();
  const { type, name, path, size } = item;
  const kind = item.type_name;
  const preview = addressOf(item.preview_url, actions?.baseUrl ?? '');
  const opens = actions?.openFile !== undefined && isInside(path);
  const facts = [kind, size].filter(fact => fact !== '');
  return (
    <div
      class="acp-artifact"
      role="group"
      aria-label={`${kind} ${name}`.trim()}
      data-type={type}
      data-item={item.id}
    >
      <Icon name={ICONS[type]} />
      <span class="what">
        <b dir="auto">
          <Visible text={name === '' ? path : name} />
        </b>
        <span class="muted">
          {facts.map((fact, index) => (
            <span key={index} class={index > 0 ? 'dot num' : undefined}>
              {fact}
            </span>
          ))}
          {path !== '' && path !== name && (
            <span class={`cut${facts.length > 0 ? ' dot' : ''}`}>
              <Path path={path} />
            </span>
          )}
        </span>
      </span>
      {(preview !== null || opens) && (
        <span class="acts">
          {preview !== null && <Preview preview={preview} />}
          {opens && (
            <button
              type="button"
              class="btn small"
              aria-label={t('Open %1', path)}
              onClick={() => open(path, null)}
            >
              {t('Open')}
            </button>
          )}
          {failure}
        </span>
      )}
    </div>
  );
}

/** A button for a preview on our server; for a foreign one a link that shows its URL. */
function Preview({ preview: { href, foreign } }: { readonly preview: Address }) {
  const { t } = useScene();
  return (
    <a
      class={foreign ? 'link' : 'btn small'}
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer"
    >
      {foreign ? href : t('Preview')}
    </a>
  );
}

/** A file that was written. */
export function FileWriteRow({ item }: { readonly item: FileWriteItem }) {
  return (
    <div class="acp-line acp-written" data-item={item.id}>
      <Icon name="edit" />
      <span class="t">
        <Visible text={item.title} strictness="controls" />
      </span>
      <span class="d cut grow">
        <FileLink path={item.path} line={null} />
      </span>
      {item.size !== '' && <span class="m num">{item.size}</span>}
    </div>
  );
}
