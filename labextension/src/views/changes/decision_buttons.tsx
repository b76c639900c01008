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
  readonly put?: ((keep: boolean) => Promise<void>) | null;
  readonly partly?: boolean;
  /** Whether a change in a copy can be marked as left there. */
  readonly canLeave?: boolean;
  /** Texts of the buttons, if not the short ones. */
  readonly keepWords?: string;
  readonly revertWords?: string;
  readonly onFailure: (message: string) => void;
}

/** Buttons Keep and Revert, or the decision with Undo. No confirmation, as both can be undone. */
export function DecisionButtons(props: DecisionButtonsProps) {
  const { decision, name, keep, revert, onFailure } = props;
  const { t } = useScene();
  const { root, press } = useRefocus(decision);
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

/** Keep for a change in a copy of the folder, in a review also Leave; and Undo. */
export function PutButton(props: PutButtonProps) {
  const { decision, name, put, keep, keepWords, onFailure, partly = false } = props;
  const { t } = useScene();
  const { root, press } = useRefocus(`${decision} ${partly}`);
  const isLeft = props.canLeave === true && decision === 'left';
  const kept = decision === 'kept';
  const run = (into: boolean) => () => {
    press();
    onFailure('');
    return put?.(into) ?? Promise.resolve();
  };
  const leave = (left: boolean) => {
    press();
    keep?.(left);
  };
  return (
    <span class="acp-decide" ref={root}>
      {kept || isLeft ? (
        <span class={kept ? 'state ok' : 'state'}>
          <Icon name={kept ? 'keep' : 'next'} small />
          {kept ? t('Kept') : t('Left')}
        </span>
      ) : (
        // In a review each change says it itself.
        partly && props.canLeave !== true && <span class="state ok">{t('Partly kept')}</span>
      )}
      {!kept && !isLeft && put !== null && (
        <span data-do="keep">
          <ActionButton
            class="btn quiet small"
            label={t('Keep %1', name)}
            run={run(true)}
            onFailure={onFailure}
          >
            <Icon name="keep" />
            <span class="lab">{keepWords ?? t('Keep')}</span>
          </ActionButton>
        </span>
      )}
      {props.canLeave === true && !kept && !isLeft && (
        <button
          type="button"
          class="btn quiet small"
          data-do="leave"
          aria-label={t('Leave %1 in the copy', name)}
          title={t('Leave %1 in the copy', name)}
          onClick={() => leave(true)}
        >
          <span class="lab">{t('Leave')}</span>
        </button>
      )}
      {isLeft ? (
        <span data-do="undo">
          <button
            type="button"
            class="btn quiet small"
            aria-label={t('Undo for %1', name)}
            title={t('Undo for %1', name)}
            onClick={() => leave(false)}
          >
            {t('Undo')}
          </button>
        </span>
      ) : (
        (kept || partly) &&
        put !== null && (
          <span data-do="undo">
            <ActionButton
              class="btn quiet small"
              label={t('Undo for %1', name)}
              run={run(false)}
              onFailure={onFailure}
            >
              {t('Undo')}
            </ActionButton>
          </span>
        )
      )}
    </span>
  );
}

type PutButtonProps = Pick<
  DecisionButtonsProps,
  'decision' | 'name' | 'keepWords' | 'partly' | 'canLeave' | 'onFailure'
> & {
  readonly put: ((keep: boolean) => Promise<void>) | null;
  /** Marks it as left in the copy, or removes the mark. */
  readonly keep?: (left: boolean) => void;
};

/** Moves the focus to the new button where the pressed one is replaced. */
function useRefocus(state: string) {
  const root = useRef<HTMLSpanElement>(null);
  const had = useRef(false);
  useLayoutEffect(() => {
    if (had.current) {
      had.current = false;
      root.current?.querySelector('button')?.focus({ preventScroll: true });
    }
  }, [state]);
  const press = () => {
    had.current = root.current?.contains(focusedElement()) ?? false;
  };
  return { root, press };
}

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
