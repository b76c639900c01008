/** Id of the plugin that the settings belong to; its schema is `schema/plugin.json`. */
export const SETTINGS = 'acp-jupyter:plugin';
