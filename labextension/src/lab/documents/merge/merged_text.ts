import type { DocumentRegistry } from '@jupyterlab/docregistry';

import { Failure } from '../../../delivery/failure';
import type { Conflict, MergedContent } from './merged_content';
import { changeText } from './notebook_model';
import { mergeTexts } from './text_edits';

type SharedText = Parameters<typeof changeText>[0];

/** The shared text of a document's model; `null` if it has none. */
export function sharedText({ sharedModel }: DocumentRegistry.IModel): SharedText | null {
  return isText(sharedModel) ? sharedModel : null;
}

function isText(shared: object): shared is SharedText {
  return 'updateSource' in shared && 'getSource' in shared;
}

/** The content of an open text file, merged line by line. */
export class MergedText implements MergedContent {
  readonly #model: DocumentRegistry.IModel;
  readonly #shared: SharedText;
  #known: string;
  #saving = '';

  constructor(model: DocumentRegistry.IModel, shared: SharedText) {
    this.#model = model;
    this.#shared = shared;
    this.#known = shared.getSource();
  }

  text(): string {
    return this.#shared.getSource();
  }

  noteSaving(): void {
    this.#saving = this.text();
  }

  noteSaved(): boolean {
    this.#known = this.#saving;
    return this.text() === this.#known;
  }

  noteLoaded(): void {
    this.#known = this.text();
  }

  noteFile(content: unknown): boolean {
    const isHere = typeof content === 'string' && plain(content) === this.text();
    this.#known = isHere ? this.text() : this.#known;
    return isHere;
  }

  canLoad(content: unknown): boolean {
    return typeof content === 'string';
  }

  load(content: unknown): Conflict[] {
    const theirs = String(content);
    const mine = this.text();
    const merged = mergeTexts(this.#known, mine, theirs);
    this.#known = theirs;
    if (merged === null) {
      return [{ id: '', theirs }];
    }
    changeText(this.#shared, merged);
    this.#model.dirty = merged !== theirs;
    return [];
  }

  capture(): ReturnType<MergedContent['capture']> {
    const [base, mine] = [this.#known, this.text()];
    return () => {
      if (this.text() === mine) {
        return null;
      }
      this.#known = mine === base ? this.text() : base; // unsaved changes are not part of the file
      return () => {
        const theirs = this.text();
        const merged = mergeTexts(base, mine, theirs);
        changeText(this.#shared, merged ?? mine);
        return merged === null ? [{ id: '', theirs }] : [];
      };
    };
  }

  write(text: string, base: string | null): void {
    // Editors know only line feeds; JupyterLab remembers which line ends the file has.
    const merged = mergeTexts(plain(base ?? this.#known), this.text(), plain(text));
    if (merged === null) {
      throw new Failure(
        'The same lines were changed since you read it. Read it again, and change that.',
        'conflict',
      );
    }
    changeText(this.#shared, merged);
  }

  accept({ theirs }: Conflict): void {
    changeText(this.#shared, theirs ?? '');
  }

  current(): string {
    return this.text();
  }

  subjectOf(): 'text' {
    return 'text';
  }
}

function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
