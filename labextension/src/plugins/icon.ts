import { LabIcon } from '@jupyterlab/ui-components';

import { DRAWINGS } from '../views/parts/drawings';

export const agentIcon = new LabIcon({
  name: 'acp-jupyter:agent',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16" fill="none"
    class="acp-icon-agent" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round">${DRAWINGS.agent}</svg>`,
});
