export type { Actions, Cells, ConfigChange, ExportFormat, Rewinding } from './actions';

export { identity } from './i18n';

export type { Translate } from './i18n';

export type { Colours, Diagram, Rendering, Run } from './props';

export { mountPart, mountWords } from './part/part_view';
export { mountPanel } from './panel/panel_view';
export { mountShared } from '../features/share/shared_view';
export { mountTraffic } from '../features/traffic/view/traffic';
export type { TrafficProps } from '../features/traffic/view/traffic';
export { mountTurn } from './turn/turn_view';

export type {
  Connection,
  Failure,
  Mounted,
  PanelProps,
  Part,
  PartProps,
  SendKey,
  SharedProps,
  StartsWith,
  TurnProps,
} from './props';
