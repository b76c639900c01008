import { LabIcon } from '@jupyterlab/ui-components';

import { DRAWINGS } from '../../views/parts/icon_drawings';
import type { IconName } from '../../views/parts/icon_drawings';

/** In the colour of JupyterLab's own icons: its themes colour the stroke of `jp-icon3`. */
export function drawnIcon(name: IconName): LabIcon {
  return new LabIcon({
    name: `acp-jupyter:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16" fill="none"
    ><g class="jp-icon3" stroke="#616161" stroke-width="1.3" stroke-linecap="round"
    stroke-linejoin="round">${DRAWINGS[name]}</g></svg>`,
  });
}

export const agentIcon = drawnIcon('agent');
