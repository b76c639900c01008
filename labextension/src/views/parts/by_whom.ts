import type { Translate } from '../i18n';

interface Answered {
  readonly outcome: string;
  /** A user of a shared server; empty where there is nothing to tell. */
  readonly answered_by: string;
}

/** What became of a question, and who answered: `Rejected by ada: too risky`. */
export function byWhom({ outcome, answered_by: name }: Answered, t: Translate): string {
  if (name === '') {
    return outcome;
  }
  const [what = '', ...why] = outcome.split(': ');
  return [t('%1 by %2', what, name), ...why].join(': ');
}
