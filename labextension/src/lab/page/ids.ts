/** Id of the plugin that the settings belong to; its schema is `schema/plugin.json`. */
export const SETTINGS = 'acp-jupyter:plugin';

export const ADD_AGENT = 'acp-jupyter:add-agent';

export const CHECK = 'acp-jupyter:check';

export const RUN_STALE = 'acp-jupyter:run-stale';

export const FOLLOW = 'acp-jupyter:follow-agent';

export const HISTORY = 'acp-jupyter:history';

export const FIX_ERROR = 'acp-jupyter:fix-error';

export const OPEN_SESSION = 'acp-jupyter:open-session';

export const REVIEW = 'acp-jupyter:review';

export const SUGGEST_NEXT = 'acp-jupyter:suggest-next-cell';

export const TRAFFIC = 'acp-jupyter:traffic';

export const GO_TO_PERMISSION = 'acp-jupyter:go-to-permission';

/** Of an output that is not shown: another variant's tab is selected. */
export const UNSELECTED_CLASS = 'acp-mod-unselected';

export const PANEL_ID = 'acp-jupyter-panel';
