/* Made by `make gen` from the models in acp_jupyter; edit those. */

export type JsonValue = unknown;
