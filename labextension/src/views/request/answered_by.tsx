import type { Translate } from '../i18n';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

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

/** Says that somebody else answers, who sent the prompt; nothing where `person` is empty. */
export function WaitsFor({ person }: { readonly person: string }) {
  const { t } = useScene();
  if (person === '') {
    return null;
  }
  return (
    <p class="acp-waits">
      <Visible text={t('Waits for %1, who sent this prompt.', person)} />
    </p>
  );
}
