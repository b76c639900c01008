/** Translates a sentence; `%1`, `%2` stand for the values. Like JupyterLab's `trans.__`. */
export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

/** Fills in the values, without translating. */
export const identity: Translate = (text, ...values) =>
  text.replace(/%(\d)/g, (whole, digit: string) => String(values[Number(digit) - 1] ?? whole));

/** How long something took: `0.4s`, `24s`, `1m 04s`; empty below a tenth of a second. */
export function duration(seconds: number | null): string {
  if (seconds === null || !(seconds >= 0.1)) {
    return '';
  }
  if (seconds < 9.95) {
    return `${Math.round(seconds * 10) / 10}s`;
  }
  const whole = Math.round(seconds);
  if (whole < 60) {
    return `${whole}s`;
  }
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}m ${pad(whole % 60)}s`
    : `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/** How long something has been running: `0:41`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${pad(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)}`;
}

/** A date and a time of day in the browser's language. */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}

/** The time between two moments, if both are known. */
export function between(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}

/** `12.4k tokens`. */
export function tokens(count: number | null, t: Translate): string {
  return count === null ? '' : t('%1 tokens', thousands(count));
}

export function thousands(count: number): string {
  if (count < 1000) {
    return String(count);
  }
  return count < 99_950
    ? `${(count / 1000).toFixed(1).replace('.0', '')}k`
    : `${Math.round(count / 1000)}k`;
}

/** `200,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** One or many: the second sentence has `%1`. */
export function plural(t: Translate, count: number, one: string, many: string): string {
  return count === 1 ? t(one) : t(many, grouped(count));
}

/** How long ago: `2 min`, `1 h`, `5 d`. */
export function age(seconds: number, t: Translate): string {
  if (seconds < 60) {
    return t('now');
  }
  if (seconds < 3600) {
    return t('%1 min', Math.floor(seconds / 60));
  }
  return seconds < 86_400
    ? t('%1 h', Math.floor(seconds / 3600))
    : t('%1 d', Math.floor(seconds / 86_400));
}

/** A size: `12 kB`. */
export function bytes(count: number): string {
  if (count < 1000) {
    return `${count} B`;
  }
  return count < 1_000_000
    ? `${Math.round(count / 1000)} kB`
    : `${(count / 1_000_000).toFixed(1)} MB`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
