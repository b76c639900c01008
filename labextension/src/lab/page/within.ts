/** What a promise resolves to; `null` if that takes longer, or if it fails. */
export function within<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(null), milliseconds);
    work.then(resolve, () => resolve(null)).finally(() => clearTimeout(timer));
  });
}
