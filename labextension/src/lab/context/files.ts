import type { Contents } from '@jupyterlab/services';

const MAX_FILES = 2_000;

const MAX_FOLDERS = 80;

const FRESH_MS = 30_000;

const SKIPPED = new Set(['node_modules', '__pycache__', 'site-packages', 'venv', 'env']);

interface Known {
  readonly at: number;
  readonly paths: readonly string[];
}

/** Paths of files below a folder of the server, near ones first; bounded and cached for a while. */
export class Files {
  readonly #contents: Pick<Contents.IManager, 'get'>;
  readonly #known = new Map<string, Known>();
  readonly #walks = new Map<string, Promise<readonly string[]>>();

  constructor(contents: Pick<Contents.IManager, 'get'>) {
    this.#contents = contents;
  }

  /** The cached paths, even if they are old. */
  known(folder: string): readonly string[] {
    return this.#known.get(folder)?.paths ?? [];
  }

  /** Paths at the server. */
  async below(folder: string): Promise<readonly string[]> {
    const known = this.#known.get(folder);
    if (known !== undefined && Date.now() - known.at < FRESH_MS) {
      return known.paths;
    }
    let walk = this.#walks.get(folder);
    if (walk === undefined) {
      walk = this.#walk(folder).finally(() => this.#walks.delete(folder));
      this.#walks.set(folder, walk);
    }
    return walk;
  }

  async #walk(folder: string): Promise<readonly string[]> {
    const paths: string[] = [];
    const folders = [folder];
    for (let index = 0; index < folders.length && paths.length < MAX_FILES; index += 1) {
      for (const entry of await this.#list(folders[index] ?? '')) {
        if (entry.name.startsWith('.')) {
          continue;
        }
        if (entry.type !== 'directory') {
          paths.push(entry.path);
        } else if (folders.length < MAX_FOLDERS && !SKIPPED.has(entry.name)) {
          folders.push(entry.path);
        }
      }
    }
    const found = paths.slice(0, MAX_FILES);
    this.#known.set(folder, { at: Date.now(), paths: found });
    return found;
  }

  async #list(path: string): Promise<Contents.IModel[]> {
    // The folder may be gone, or not readable by the user.
    const model = await this.#contents.get(path, { content: true }).catch(() => null);
    const content: unknown = model?.content;
    return model?.type === 'directory' && Array.isArray(content)
      ? content.filter(isEntry).slice(0, MAX_FILES)
      : [];
  }
}

function isEntry(entry: unknown): entry is Contents.IModel {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'name' in entry &&
    typeof entry.name === 'string' &&
    'path' in entry &&
    typeof entry.path === 'string' &&
    'type' in entry
  );
}
