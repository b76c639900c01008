import { Drag } from '@lumino/dragdrop';

import type { DraftAttachment } from '../../state/attachments';
import { baseOf } from './paths';

/** What JupyterLab's file browser gives to drags: paths at the server. */
const CONTENTS = 'application/x-jupyter-icontents';
const EVENTS = ['lm-dragenter', 'lm-dragover', 'lm-dragleave', 'lm-drop'] as const;
/** Marks what would take the files. */
const OVER_CLASS = 'acp-mod-dropTarget';

/** Takes files of the file browser that are dropped on an element; returns how to stop that. */
export function acceptFiles(
  element: HTMLElement,
  onFile: (file: DraftAttachment) => void,
): () => void {
  const listen = (event: Event) => {
    if (!(event instanceof Drag.Event) || !event.mimeData.hasData(CONTENTS)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    event.dropAction = event.proposedAction;
    const to = event.relatedTarget instanceof Node ? event.relatedTarget : null;
    const leaves = event.type === 'lm-dragleave' && !element.contains(to);
    element.classList.toggle(OVER_CLASS, event.type !== 'lm-drop' && !leaves);
    if (event.type === 'lm-drop') {
      const paths: unknown = event.mimeData.getData(CONTENTS);
      for (const path of Array.isArray(paths) ? paths : []) {
        if (typeof path === 'string') {
          onFile({ kind: 'file', label: baseOf(path), path });
        }
      }
    }
  };
  EVENTS.forEach(name => element.addEventListener(name, listen));
  return () => EVENTS.forEach(name => element.removeEventListener(name, listen));
}
