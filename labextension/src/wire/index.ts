export { parseServerFrame, parseSnapshot } from './parse';
export type * from './types';
