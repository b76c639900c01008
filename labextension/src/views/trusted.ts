// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with an event
const getter = Object.getOwnPropertyDescriptor(new Event('click'), 'isTrusted')?.get;

/**
 * Whether the browser made an event because of a user's action, and not a script in the page.
 *
 * It uses the browser's own getter, which throws for an object that only looks like an event. Tests
 * of views, which have no user, use `tests/support/trusted.ts` instead.
 */
export function isTrusted(event: Event): boolean {
  return getter?.call(event) === true;
}
