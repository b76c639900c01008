export type { Actions, Cells, ConfigChange, ExportFormat } from './actions';
export { identity } from './i18n';
export type { Translate } from './i18n';
export type { Colours, Diagram, Rendering, Run } from './markdown/rendering';
export { mountPanel, mountTurn } from './mount';
export type { Connection, Failure, Mounted, PanelProps, SendKey, TurnProps } from './props';
