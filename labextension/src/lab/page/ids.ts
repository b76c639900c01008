/** Id of the plugin that the settings belong to; its schema is `schema/plugin.json`. */
export const SETTINGS = 'acp-jupyter:plugin';

export const ADD_AGENT = 'acp-jupyter:add-agent';

export const OPEN_SESSION = 'acp-jupyter:open-session';

export const REVIEW = 'acp-jupyter:review';

export const GO_TO_PERMISSION = 'acp-jupyter:go-to-permission';

/** Of an output that is not shown: another variant's tab is selected. */
export const UNSELECTED_CLASS = 'acp-mod-unselected';

export const PANEL_ID = 'acp-jupyter-panel';
