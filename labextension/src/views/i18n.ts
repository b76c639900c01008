/** Translates a sentence; `%1`, `%2` stand for the values. As `trans.__` of JupyterLab. */
export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

/** The sentence itself, its values filled in. */
export const identity: Translate = (text, ...values) =>
  text.replace(/%(\d)/g, (whole, digit: string) => String(values[Number(digit) - 1] ?? whole));
