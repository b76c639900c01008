import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';

import { isUnderWay, isUnseenEdit } from '../../state/items';
import { textLength, textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { FileDiff, FoldedDiff } from '../diff/file_diff';
import { moment } from '../i18n';
import { detailsOf, Fields, fieldsOf } from '../parts/fields';
import type { Field } from '../parts/fields';
import { useOpen, useScene, useSubscription } from '../scene';
import { Output } from '../terminal/terminal';
import { Command, isCommandKnown } from './command';
import { ContentBlock } from './content_block';
import { FileLines, NewFile } from './file_lines';
import { SearchResults } from './search_results';
import {
  Diagnostics,
  hasRaw,
  lineOf,
  Locations,
  otherLocations,
  Raw,
  RawButton,
} from './tool_details';

interface ToolBodyProps {
  readonly item: ToolCall;
  /** Shown between its input and its result. */
  readonly children: ComponentChildren;
}

/** The body of a tool call: its input and its result. */
export function ToolBody({ item, children }: ToolBodyProps) {
  const { store, actions, t } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  const hasOutput = textLength(store.view, item.id, 'output') > 0;
  const [isRawOpen] = useOpen(`${item.id} raw`, false);
  const raw = isRawOpen && hasRaw(item);
  const { diffs, files, blocks, diagnostics, path } = item;
  const main = mainOf(item, hasOutput);
  const inLine = [item.title, item.description, item.subagent_type];
  const fields = (main === 'fields' ? fieldsOf(item.raw_input, inLine) : []).filter(isReadable);
  const folder = item.permission?.folder ?? '';
  const beside: Field[] = folder === '' ? [] : [[t('Folder'), folder]];
  const rows = [...fields, ...beside, ...detailsOf(item, fields).filter(isReadable)];
  const opened = main === 'lines' ? [path] : diffs.map(diff => diff.path);
  const locations = otherLocations(item, opened);
  const isOutputShown = main === 'diffs' || main === 'fields' ? hasOutput : true;
  const rest = diffs.length + rows.length + blocks.length + diagnostics.length + locations.length;
  const times = [item.started_at, item.ended_at].flatMap(at => (at === null ? [] : moment(at)));
  const told = [...new Set(times)].join(' – ');
  const last = isOutputShown || rest > 0 || children ? told : t('No details.');
  // The Raw button is in the main box if there is one, else below.
  const button = actions !== null && hasRaw(item) ? <RawButton item={item} /> : null;
  const inDiff = main === 'diffs' && diffs[0]?.is_new_file === false;
  const isCommand = main === 'command' && isCommandKnown(item, hasOutput);
  const isFound = main === 'found' && (item.hits ?? files ?? []).length > 0;
  // A body that the user has not opened takes little space.
  const EditDiff = isUnseenEdit(item) ? FoldedDiff : FileDiff;
  const isButtonPlaced = inDiff || isCommand || isFound || main === 'lines';
  return (
    <>
      {isCommand && <Command item={item} />}
      {diffs.map((diff, index) =>
        item.is_new_file === true && diff.is_new_file ? (
          <NewFile
            key={index}
            diff={diff}
            id={`${item.id} new ${index}`}
            line={lineOf(item, diff.path)}
          />
        ) : (
          <EditDiff
            key={index}
            diff={diff}
            id={`${item.id} diff ${index}`}
            line={lineOf(item, diff.path)}
            isNew={diff.is_new_file && item.is_new_file !== false}
            controls={index === 0 && inDiff ? button : null}
          />
        ),
      )}
      {main === 'found' && <SearchResults item={item} files={files ?? []} controls={button} />}
      {main === 'lines' && (
        <FileLines
          id={item.id}
          text={textOf(store.view, item.id, 'output')}
          first={item.first_line}
          path={path}
          line={lineOf(item, path) ?? item.first_line}
          coloured={!isUnderWay(item)}
          controls={button}
        />
      )}
      {rows.length > 0 && <Fields rows={rows} />}
      {children}
      {(main === 'diffs' || main === 'fields') && hasOutput && (
        <div class="acp-code" data-tone={item.status === 'failed' ? 'error' : undefined}>
          <Output item={item} />
        </div>
      )}
      {diagnostics.length > 0 && <Diagnostics found={diagnostics} />}
      {locations.length > 0 && <Locations locations={locations} />}
      {blocks.map(block => (
        <ContentBlock key={block.id} block={block} />
      ))}
      {(last !== '' || (!isButtonPlaced && button !== null)) && (
        <div class="acp-bodyfoot">
          <p class="muted acp-empty">{last}</p>
          {!isButtonPlaced && button}
        </div>
      )}
      {raw && <Raw item={item} />}
    </>
  );
}

/** Ids of cells are for programs: the title names the cells, and Raw has everything. */
function isReadable([name]: Field): boolean {
  return name !== 'cell_id' && name !== 'cell_ids';
}

type Main = 'command' | 'found' | 'lines' | 'diffs' | 'fields';

/** The main box of a call, chosen so that each text is shown once. */
function mainOf(item: ToolCall, hasOutput: boolean): Main {
  if (item.ui_kind === 'execute' || item.command !== '' || item.terminal !== null) {
    return 'command';
  }
  if (item.files !== null) {
    return 'found';
  }
  const reads = item.ui_kind === 'read' || item.ui_kind === 'search';
  if (reads && hasOutput && item.status !== 'failed') {
    return 'lines';
  }
  return item.diffs.length > 0 ? 'diffs' : 'fields';
}
