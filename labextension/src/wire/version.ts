/** Of `acp_jupyter.delivery.frames`; page and server must hold the same. */
export const API_VERSION = 1;
