import { useEffect, useRef, useState } from 'preact/hooks';

import { ActionButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';

interface RevertButtonProps {
  /** On the button. */
  readonly words: string;
  /** What is asked before it is done; `null` where it is done at once. */
  readonly question: string | null;
  readonly run: () => Promise<void>;
  readonly onFailure: (message: string) => void;
}

/** Takes many changes back, after one question. Escape is a no. */
export function RevertButton({ words, question, run, onFailure }: RevertButtonProps) {
  const { t } = useScene();
  const [asking, setAsking] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (asking !== wasAsking.current) {
      wasAsking.current = asking;
      root.current?.querySelector('button')?.focus();
    }
  }, [asking]);
  const face = (
    <>
      <Icon name="revert" />
      <span class="lab">{words}</span>
    </>
  );
  if (question === null) {
    return (
      <ActionButton
        class="btn quiet small"
        label={words}
        run={() => {
          onFailure('');
          return run();
        }}
        onFailure={onFailure}
      >
        {face}
      </ActionButton>
    );
  }
  if (!asking) {
    return (
      <span ref={root}>
        <button
          type="button"
          class="btn quiet small"
          aria-label={words}
          title={words}
          onClick={() => setAsking(true)}
        >
          {face}
        </button>
      </span>
    );
  }
  const answer = async () => {
    onFailure('');
    try {
      await run();
    } finally {
      setAsking(false);
    }
  };
  return (
    <span
      class="acp-revert"
      role="group"
      aria-label={question}
      ref={root}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          setAsking(false);
        }
      }}
    >
      <span>{question}</span>
      <ActionButton run={answer} onFailure={onFailure}>
        {t('Revert')}
      </ActionButton>
      <button type="button" class="btn quiet small" onClick={() => setAsking(false)}>
        {t('Cancel')}
      </button>
    </span>
  );
}
