/** Of `acp_jupyter.api.models.frames`; page and server must hold the same. */
export const API_VERSION = 1;
