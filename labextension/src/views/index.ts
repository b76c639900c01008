export type { Actions, Cells, ConfigChange, ExportFormat } from './actions';

export { identity } from './i18n';

export type { Translate } from './i18n';

export type { Colours, Diagram, Rendering, Run } from './props';

export { mountPart, mountWords } from './widget_parts/part_view';
export { mountPanel } from './panel/panel_view';
export { mountTurn } from './turn/turn_view';

export type {
  Connection,
  Failure,
  Mounted,
  PanelProps,
  Part,
  PartProps,
  SendKey,
  StartsWith,
  TurnProps,
} from './props';
