import { codePoint, isInvisible, spansOf, type Strictness } from './odd_characters';

interface VisibleProps {
  readonly text: string;
  readonly strictness?: Strictness;
}

/** Text whose deceiving characters are marked where they stand. */
export function Visible({ text, strictness = 'invisible' }: VisibleProps) {
  return (
    <>
      {spansOf(text, strictness).map(({ text: run, odd }, index) =>
        odd === '' ? (
          run
        ) : (
          <mark key={index} class="acp-odd" title={odd}>
            {strictness === 'controls' || isInvisible(run) ? codePoint(run) : run}
          </mark>
        ),
      )}
    </>
  );
}

/** The deceiving characters of these texts by name, each once. */
export function oddNames(texts: readonly string[], strictness: Strictness): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    for (const { odd } of spansOf(text, strictness)) {
      if (odd !== '') {
        names.add(odd);
      }
    }
  }
  return [...names];
}
