import { LabIcon } from '@jupyterlab/ui-components';

import { DRAWINGS } from '../../views/parts/icon_drawings';

/** In the colour of JupyterLab's own icons: its themes colour the stroke of `jp-icon3`. */
export const agentIcon = new LabIcon({
  name: 'acp-jupyter:agent',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16" fill="none"
    ><g class="jp-icon3" stroke="#616161" stroke-width="1.3" stroke-linecap="round"
    stroke-linejoin="round">${DRAWINGS.agent}</g></svg>`,
});
