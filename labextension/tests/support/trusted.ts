/** Stands for `src/views/trusted.ts` where views are tested: no event there has a person behind it. */
export const events = { areByPerson: true };

export function isTrusted(): boolean {
  return events.areByPerson;
}
