// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with an event
const getter = Object.getOwnPropertyDescriptor(new Event('click'), 'isTrusted')?.get;

/**
 * Whether the browser made an event because of what a person did, and not a script in the page.
 *
 * It is read by the browser's own getter, which throws at what only looks like an event. In tests of
 * views, where nobody is, `tests/support/trusted.ts` stands for this module.
 */
export function isTrusted(event: Event): boolean {
  return getter?.call(event) === true;
}
