import { Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { isRecord, text } from '../../../wire/read';
import type { Cell, NbOutput } from '../../../wire/types';
import { Coloured, runsOf, useColours } from '../../../views/diff/colours';
import { useScene } from '../../../views/scene';
import { render } from '../../../views/terminal/terminal_text';

/** What the server sends of pictures; the others are in base64. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'] as const;

interface PastCellProps {
  readonly cell: Cell;
  /** From 1. */
  readonly number: number;
  readonly language: string;
}

/** A cell at that moment, with its outputs. Nothing in it can run. */
export function PastCell({ cell, number, language }: PastCellProps) {
  const { t } = useScene();
  const { cell_type: type, source, outputs, execution_count: count } = cell;
  return (
    <li class="acp-cell-then" data-type={type} aria-label={t('Cell %1', number)}>
      <span class="mark num muted" aria-hidden="true">
        {type === 'code' ? `[${count ?? ' '}]` : ''}
      </span>
      <div class="grow">
        <Source source={source} language={type === 'code' ? language : type} />
        {outputs.map((output, index) => (
          <Output key={index} output={output} number={number} />
        ))}
      </div>
    </li>
  );
}

function Source({ source, language }: { readonly source: string; readonly language: string }) {
  const { t } = useScene();
  const colours = useColours(source, language);
  const lines = source.split('\n');
  return (
    <pre class="acp-source-then" tabIndex={0} aria-label={t('Source')} role="group">
      {lines.map((line, index) => (
        <Fragment key={index}>
          <Coloured text={line} runs={runsOf(colours, index + 1, line)} />
          {index < lines.length - 1 && '\n'}
        </Fragment>
      ))}
    </pre>
  );
}

function Output({ output, number }: { readonly output: NbOutput; readonly number: number }) {
  const { t } = useScene();
  const { data } = output;
  if (!isRecord(data)) {
    return <OutputText words={text(output, 'text')} isError={output.output_type === 'error'} />;
  }
  const kind = PICTURES.find(each => typeof data[each] === 'string');
  return kind === undefined ? (
    <OutputText words={text(data, 'text/plain')} isError={false} />
  ) : (
    <img
      class="acp-picture-then"
      src={sourceOf(kind, String(data[kind]))}
      alt={text(data, 'text/plain') || t('Picture of cell %1', number)}
    />
  );
}

/** An image that is drawn from its address can't load or run anything. */
function sourceOf(kind: (typeof PICTURES)[number], data: string): string {
  return kind === 'image/svg+xml'
    ? `data:${kind},${encodeURIComponent(data)}`
    : `data:${kind};base64,${data.replace(/[^A-Za-z0-9+/=]/g, '')}`;
}

interface OutputTextProps {
  readonly words: string;
  readonly isError: boolean;
}

function OutputText({ words, isError }: OutputTextProps) {
  const { t } = useScene();
  const element = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(render(words)), [words]);
  return words === '' ? null : (
    <pre
      ref={element}
      class="acp-output-then"
      data-error={isError}
      tabIndex={0}
      role="group"
      aria-label={t('Output')}
    />
  );
}
