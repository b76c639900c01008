import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ActionButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { focusedElement } from '../parts/keyboard';
import { useScene } from '../scene';
import type { Decision } from './decisions';

interface DecisionButtonsProps {
  readonly decision: Decision;
  /** Name of the change, for screen readers. */
  readonly name: string;
  readonly keep: (kept: boolean) => void;
  /** Reverts it, or undoes that; absent if that is not possible. */
  readonly revert: ((undo: boolean) => Promise<void>) | undefined;
  readonly canUndo: boolean;
  /** See `Decided`. */
  readonly put?: (() => Promise<void>) | null;
  /** Texts of the buttons, if not the short ones. */
  readonly keepWords?: string;
  readonly revertWords?: string;
  readonly onFailure: (message: string) => void;
}

/** Buttons Keep and Revert, or the decision with Undo. No confirmation, as both can be undone. */
export function DecisionButtons(props: DecisionButtonsProps) {
  const { decision, name, keep, revert, onFailure } = props;
  const { t } = useScene();
  const root = useRef<HTMLSpanElement>(null);
  const had = useRef(false);
  // The pressed button is replaced, so the new one gets the focus.
  useLayoutEffect(() => {
    if (had.current) {
      had.current = false;
      root.current?.querySelector('button')?.focus({ preventScroll: true });
    }
  }, [decision]);
  const press = () => {
    had.current = root.current?.contains(focusedElement()) ?? false;
  };
  const run = (undo: boolean) => async () => {
    press();
    onFailure('');
    await revert?.(undo);
  };
  const unmark = () => {
    press();
    keep(false);
    return Promise.resolve();
  };
  if (props.put !== undefined) {
    return <PutButton {...props} put={props.put} />;
  }
  if (decision === 'open') {
    return (
      <span class="acp-decide" ref={root}>
        <button
          type="button"
          class="btn quiet small"
          data-do="keep"
          aria-label={t('Keep %1', name)}
          title={t('Keep %1', name)}
          onClick={() => {
            press();
            keep(true);
          }}
        >
          <Icon name="keep" />
          <span class="lab">{props.keepWords ?? t('Keep')}</span>
        </button>
        {revert !== undefined && (
          <span data-do="revert">
            <ActionButton
              class="btn quiet small"
              label={t('Revert %1', name)}
              run={run(false)}
              onFailure={onFailure}
            >
              <Icon name="revert" />
              <span class="lab">{props.revertWords ?? t('Revert')}</span>
            </ActionButton>
          </span>
        )}
      </span>
    );
  }
  const kept = decision === 'kept';
  return (
    <span class="acp-decide" ref={root}>
      <span class={kept ? 'state ok' : 'state'}>
        <Icon name={kept ? 'keep' : 'revert'} small />
        {kept ? t('Kept') : t('Reverted')}
      </span>
      {props.canUndo && (
        <span data-do="undo">
          <ActionButton
            class="btn quiet small"
            label={t('Undo for %1', name)}
            run={kept ? unmark : run(true)}
            onFailure={onFailure}
          >
            {t('Undo')}
          </ActionButton>
        </span>
      )}
    </span>
  );
}

/** Keep for a change in a copy of the folder, and Undo. */
export function PutButton({ decision, name, put, keepWords, onFailure }: PutButtonProps) {
  const { t } = useScene();
  const kept = decision === 'kept';
  return (
    <span class="acp-decide">
      {kept && (
        <span class="state ok">
          <Icon name="keep" small />
          {t('Kept')}
        </span>
      )}
      {put !== null && (
        <span data-do={kept ? 'undo' : 'keep'}>
          <ActionButton
            class="btn quiet small"
            label={kept ? t('Undo for %1', name) : t('Keep %1', name)}
            run={() => {
              onFailure('');
              return put();
            }}
            onFailure={onFailure}
          >
            {kept ? (
              t('Undo')
            ) : (
              <>
                <Icon name="keep" />
                <span class="lab">{keepWords ?? t('Keep')}</span>
              </>
            )}
          </ActionButton>
        </span>
      )}
    </span>
  );
}

type PutButtonProps = Pick<
  DecisionButtonsProps,
  'decision' | 'name' | 'keepWords' | 'onFailure'
> & {
  readonly put: (() => Promise<void>) | null;
};

interface RevertButtonProps {
  /** Text of the button. */
  readonly words: string;
  /** Confirmation that is asked first; `null` for none. */
  readonly question: string | null;
  readonly run: () => Promise<void>;
  readonly onFailure: (message: string) => void;
}

/** A button that reverts many changes after a confirmation; Escape cancels. */
export function RevertButton({ words, question, run, onFailure }: RevertButtonProps) {
  const { t } = useScene();
  const [confirming, setConfirming] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const wasConfirming = useRef(false);
  useEffect(() => {
    if (confirming !== wasConfirming.current) {
      wasConfirming.current = confirming;
      root.current?.querySelector('button')?.focus();
    }
  }, [confirming]);
  const label = (
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
        {label}
      </ActionButton>
    );
  }
  if (!confirming) {
    return (
      <span ref={root}>
        <button
          type="button"
          class="btn quiet small"
          aria-label={words}
          title={words}
          onClick={() => setConfirming(true)}
        >
          {label}
        </button>
      </span>
    );
  }
  const answer = async () => {
    onFailure('');
    try {
      await run();
    } finally {
      setConfirming(false);
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
          setConfirming(false);
        }
      }}
    >
      <span>{question}</span>
      <ActionButton run={answer} onFailure={onFailure}>
        {t('Revert')}
      </ActionButton>
      <button type="button" class="btn quiet small" onClick={() => setConfirming(false)}>
        {t('Cancel')}
      </button>
    </span>
  );
}
