export { mountCheck } from './check_view';
export type { CheckProps } from './check_view';
