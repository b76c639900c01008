import { useLayoutEffect, useRef } from 'preact/hooks';

interface AudioProps {
  readonly address: string;
  readonly name: string;
  /** Type and size. */
  readonly facts: string;
}

/** A player. */
export function Audio({ address, name, facts }: AudioProps) {
  const figure = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = figure.current;
    const player = element?.querySelector('audio');
    if (!element?.parentElement || !player) {
      return undefined;
    }
    // Chromium hides the controls of a player that `moveBefore` has moved, as a turn folds.
    const observer = new MutationObserver(records => {
      if (records.some(({ addedNodes }) => [...addedNodes].includes(element))) {
        player.controls = false;
        player.controls = true;
      }
    });
    observer.observe(element.parentElement, { childList: true });
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="acp-image" ref={figure}>
      <audio controls src={address} aria-label={name} />
      <figcaption class="muted">{facts}</figcaption>
    </figure>
  );
}
