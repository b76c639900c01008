export { mountHistory } from './history_view';
export type { HistoryProps, Shown } from './props';
