import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';

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
