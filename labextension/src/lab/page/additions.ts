import { Additions } from '../../views/additions';
import type { Addition } from '../../views/additions';

/** What the features of this page add to the views. */
export const additions = new Additions();

const waiting: (() => Promise<Addition>)[] = [];

let areViewsLoaded = false;

/** Adds something to the core's views; its code is loaded with theirs. */
export function addToViews(load: () => Promise<Addition>): void {
  if (areViewsLoaded) {
    void add(load);
  } else {
    waiting.push(load);
  }
}

/** Loads what the features add, since a view is to be drawn. */
export async function loadAdditions(): Promise<void> {
  areViewsLoaded = true;
  await Promise.all(waiting.splice(0).map(add));
}

async function add(load: () => Promise<Addition>): Promise<void> {
  try {
    additions.add(await load());
  } catch (error) {
    console.error(error); // the views are drawn without it
  }
}
