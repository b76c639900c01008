import { useState } from 'preact/hooks';

/** Another for each copy of this code in the page: the labextension, the widget. */
const COPY = Math.floor(Math.random() * 2 ** 40).toString(36);
let idCount = 0;

/** An id that no other view of the page has; Preact's own begin anew in each of them. */
export function useUniqueId(): string {
  const [id] = useState(() => {
    idCount += 1;
    return `acp-${COPY}-${idCount}`;
  });
  return id;
}
