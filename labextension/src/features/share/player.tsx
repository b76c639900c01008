import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { Playback } from './playback';
import type { Item } from '../../wire/types';
import type { Translate } from '../../views/i18n';
import { IconButton } from '../../views/parts/buttons';
import type { Scene } from '../../views/scene';
import { toolName } from '../../views/tool/tool_card';

/** Time for which a step is shown during playback. */
const STEP_MILLISECONDS = 2_000;

interface PlayerProps {
  readonly playback: Playback;
  readonly announce: Scene['announce'];
  readonly t: Translate;
}

/** The bar that steps through the turns: with buttons, a slider, and the arrow keys. */
export function Player({ playback, announce, t }: PlayerProps) {
  const { place, last, newest, all } = playback;
  const [plays, setPlays] = useState(false);
  const words = wordsOf(place, last, newest, t);
  const go = (next: number) => {
    setPlays(false);
    playback.go(next);
  };
  const play = () => {
    if (!plays && place === last) {
      playback.go(0);
    }
    setPlays(!plays);
  };
  useEffect(() => {
    if (!plays) {
      return undefined;
    }
    if (place === last) {
      setPlays(false);
      return undefined;
    }
    const timer = setTimeout(() => playback.go(place + 1), STEP_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [plays, place, last, playback]);
  useEffect(() => {
    if (place !== last || plays) {
      announce(words, 'polite');
    }
  }, [words]);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step !== undefined && !hasKeysOfItsOwn(event)) {
        event.preventDefault();
        go(playback.place + step);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [playback]);
  return (
    <div class="acp-player" role="group" aria-label={t('Steps')}>
      <IconButton
        icon="previous"
        label={t('Previous step')}
        disabled={place === 0}
        onClick={() => go(place - 1)}
      />
      <IconButton
        icon={plays ? 'pause' : 'execute'}
        label={plays ? t('Pause') : t('Play')}
        onClick={play}
      />
      <IconButton
        icon="next"
        label={t('Next step')}
        disabled={place === last}
        onClick={() => go(place + 1)}
      />
      <input
        type="range"
        min={0}
        max={last}
        value={place}
        aria-label={t('Step')}
        aria-valuetext={words}
        onInput={event => go(Number(event.currentTarget.value))}
      />
      <span class="num muted">{t('%1 of %2', place + 1, last + 1)}</span>
      <button type="button" class="btn small" onClick={() => playback.openAll(!all)}>
        {all ? t('Close all') : t('Open all')}
      </button>
    </div>
  );
}

function wordsOf(place: number, last: number, newest: Item | null, t: Translate): string {
  const where = t('Step %1 of %2', place + 1, last + 1);
  return newest?.kind === 'tool_call' ? `${where}: ${toolName(newest)}` : where;
}

/** The slider handles its own arrow keys, and code scrolls sideways with them. */
function hasKeysOfItsOwn({ target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return (
    altKey ||
    ctrlKey ||
    metaKey ||
    shiftKey ||
    (target instanceof Element && target.closest('input, audio, [tabindex]') !== null)
  );
}
