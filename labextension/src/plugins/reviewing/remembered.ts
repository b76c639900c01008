import { isRecord, text, texts } from '../../wire/read';

const RUNS_KEY = 'acp-jupyter:runs';
/** So many are remembered, of all notebooks. */
const MAX_REMEMBERED_RUNS = 20;
const MAX_REMEMBERED_TURNS = 500;

/** A run that was not looked at yet: which turns are one, and nothing of what they did. */
export interface RememberedRun {
  readonly path: string;
  readonly name: string;
  readonly turnIds: readonly string[];
}

/** The newest run of a notebook, as far as this browser knows. */
export function rememberedRun(path: string): RememberedRun | null {
  return rememberedRuns().find(run => run.path === path) ?? null;
}

/** Remembers a run in place of an earlier one of its notebook. */
export function rememberRun(run: RememberedRun): void {
  const { path, name } = run;
  writeRuns([
    { path, name, turnIds: run.turnIds.slice(-MAX_REMEMBERED_TURNS) },
    ...othersThan(path),
  ]);
}

/** It was looked at, or closed: it is not offered again. */
export function forgetRun({ path, turnIds }: RememberedRun): void {
  if (rememberedRun(path)?.turnIds.some(id => turnIds.includes(id)) === true) {
    writeRuns(othersThan(path));
  }
}

function othersThan(path: string): RememberedRun[] {
  return rememberedRuns().filter(run => run.path !== path);
}

function writeRuns(runs: readonly RememberedRun[]): void {
  try {
    localStorage.setItem(RUNS_KEY, JSON.stringify(runs.slice(0, MAX_REMEMBERED_RUNS)));
  } catch {
    // Offered in this page only.
  }
}

/** Another version may have written it. */
function rememberedRuns(): RememberedRun[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(RUNS_KEY) ?? '[]');
    return (Array.isArray(value) ? value : []).flatMap((each: unknown) => {
      const run = isRecord(each)
        ? { path: text(each, 'path'), name: text(each, 'name'), turnIds: texts(each, 'turnIds') }
        : null;
      return run === null || run.path === '' || run.turnIds.length === 0 ? [] : [run];
    });
  } catch {
    return [];
  }
}
