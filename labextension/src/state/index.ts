export { emptyView, insertPage, reduce, reduceAll } from './reducer';
export { SessionStore, snapshotStore } from './store';
export { textFrom, textLength, textOf } from './texts';
export { UiState } from './ui';
export type { SavedFacts, SessionView, TextField, Texts } from './view';
