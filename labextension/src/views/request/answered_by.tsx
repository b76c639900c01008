import type { Translate } from '../i18n';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

interface Answered {
  readonly outcome: string;
  /** Name of a user of a shared server; empty if it need not be shown. */
  readonly answered_by: string;
}

/** The outcome of a request, and who answered: `Rejected by ada: too risky`. */
export function byWhom({ outcome, answered_by: name }: Answered, t: Translate): string {
  if (name === '') {
    return outcome;
  }
  const [what = '', ...why] = outcome.split(': ');
  return [t('%1 by %2', what, name), ...why].join(': ');
}

/** Says who must answer, or where, if not the reader by these buttons. */
export function WaitsFor({ person }: { readonly person: string }) {
  const { askedBelow, t } = useScene();
  if (askedBelow === true) {
    return <p class="acp-waits">{t('Answer below the cell: it asks you in text.')}</p>;
  }
  if (person === '') {
    return null;
  }
  return (
    <p class="acp-waits">
      <Visible text={t('Waits for %1, who sent this prompt.', person)} />
    </p>
  );
}
