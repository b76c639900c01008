export type { Actions, ConfigChange, ExportFormat } from './actions';
export { identity } from './i18n';
export type { Translate } from './i18n';
export { mountPanel, mountTurn } from './mount';
export type { Connection, Failure, Mounted, PanelProps, TurnProps } from './props';
