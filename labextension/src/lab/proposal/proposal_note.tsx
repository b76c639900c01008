import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import type { Mounted } from '../../views';
import { DiffColours } from '../../views/diff/colours';
import { compareTexts } from '../../views/diff/compare_lines';
import { LinesBody } from '../../views/diff/lines_body';
import { Counts } from '../../views/parts/files';
import { Icon } from '../../views/parts/icons';
import type { IconName } from '../../views/parts/icon_drawings';
import { OWN_KEYS } from '../../views/parts/keyboard';
import { mounted } from '../../views/parts/mount';
import { Visible } from '../../views/parts/odd_characters';
import { useAnswerable } from '../../views/request/answerable';
import { SceneContext } from '../../views/scene';
import type { Scene } from '../../views/scene';
import { useNoteKeys } from './note_keys';

/** An action of the note, and the key that does it while the note has the focus. */
export interface NoteAction {
  readonly name: string;
  readonly run: () => void;
  /** `y`, `n`, `Tab` or `Escape`. */
  readonly key?: string;
  readonly icon?: IconName;
  readonly primary?: boolean;
}

export interface ProposalNoteProps {
  readonly scene: Scene;
  /** Name of the note, for screen readers. */
  readonly label: string;
  /** Whether its keys also work in the command mode of its notebook. */
  readonly inCommandMode?: boolean;
  /** Changes with each step; an action works only once its step has been visible for a while. */
  readonly step: string;
  readonly words: string;
  readonly tone: 'busy' | 'error' | 'info';
  /** The diff to decide on. */
  readonly diff: { readonly before: string; readonly after: string } | null;
  /** Code that is not in the notebook. */
  readonly code?: string | null;
  readonly language: string;
  /** What prevents the action, or what to know about it. */
  readonly note: string;
  readonly actions: readonly NoteAction[];
}

/** An agent's proposal, below a cell. */
function ProposalNote(props: ProposalNoteProps) {
  const { scene, step, words, tone, diff, note, actions, code = null } = props;
  const { label, inCommandMode = false } = props;
  const { t, announce } = scene;
  const root = useRef<HTMLDivElement>(null);
  const answerable = useAnswerable(root, step);
  const act = (action: NoteAction) => {
    if (answerable) {
      action.run();
    }
  };
  useLayoutEffect(() => announce(note === '' ? words : `${words} ${note}`, 'polite'), [step, note]);
  useLayoutEffect(() => {
    // A note takes keys only while its buttons are visible.
    if (root.current?.contains(document.activeElement) === true) {
      root.current.scrollIntoView({ block: 'nearest' });
    }
  }, [step]);
  useNoteKeys(root, inCommandMode, event => {
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions.find(({ key }) => key === pressed);
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return false;
    }
    if (!event.repeat) {
      act(action); // a repeated key was pressed for an earlier step
    }
    return true;
  });
  const labels: Record<string, string> = { y: 'Y', n: 'N', Tab: t('Tab'), Escape: t('Esc') };
  return (
    <div class="acp-fix" role="group" aria-label={label} tabIndex={-1} ref={root} {...OWN_KEYS}>
      <div class="line">
        {tone === 'busy' ? (
          <span class="spin" aria-hidden="true" />
        ) : (
          <Icon name={tone === 'error' ? 'warning' : 'edit'} small />
        )}
        <span dir="auto" class={tone === 'error' ? 'err' : undefined}>
          {words}
        </span>
        {diff !== null && <DiffCounts {...diff} />}
      </div>
      {diff !== null && <NoteDiff {...diff} language={props.language} step={step} t={t} />}
      {code !== null && (
        <pre class="acp-notyet" aria-label={t('Code that is not in the notebook')} tabIndex={0}>
          <Visible text={code} strictness="controls" />
        </pre>
      )}
      {note !== '' && (
        <p class="warn" dir="auto">
          {note}
        </p>
      )}
      <div class="acp-opts">
        {actions.map(action => (
          <NoteButton key={action.name} action={action} disabled={!answerable} onClick={act}>
            {action.key !== undefined && <kbd aria-hidden="true">{labels[action.key]}</kbd>}
          </NoteButton>
        ))}
      </div>
    </div>
  );
}

interface NoteButtonProps {
  readonly action: NoteAction;
  readonly disabled: boolean;
  readonly onClick: (action: NoteAction) => void;
  readonly children: ComponentChildren;
}

function NoteButton({ action, disabled, onClick, children }: NoteButtonProps) {
  return (
    <button
      type="button"
      class={`btn small${action.primary === true ? ' primary' : ''}`}
      aria-keyshortcuts={action.key}
      // Not `disabled`: that would take the focus away.
      aria-disabled={disabled}
      onClick={() => onClick(action)}
      {...OWN_KEYS}
    >
      {action.icon !== undefined && <Icon name={action.icon} small />}
      {action.name}
      {children}
    </button>
  );
}

function DiffCounts({ before, after }: { readonly before: string; readonly after: string }) {
  const comparison = useMemo(() => compareTexts(before, after), [before, after]);
  return <Counts added={comparison?.added ?? null} removed={comparison?.removed ?? null} />;
}

interface NoteDiffProps {
  readonly before: string;
  readonly after: string;
  readonly language: string;
  readonly step: string;
  readonly t: Scene['t'];
}

function NoteDiff({ before, after, language, step, t }: NoteDiffProps) {
  const comparison = useMemo(() => compareTexts(before, after), [before, after]);
  return (
    <section class="acp-diff" role="region" aria-label={t('Diff of the cell')}>
      {comparison === null ? (
        <p class="muted acp-empty">{t('This is too large to compare here.')}</p>
      ) : (
        <DiffColours before={before} after={after} path={language}>
          <LinesBody comparison={comparison} id={step} />
        </DiffColours>
      )}
    </section>
  );
}

export function mountProposalNote(
  element: HTMLElement,
  props: ProposalNoteProps,
): Mounted<ProposalNoteProps> {
  return mounted(element, props, given => (
    <SceneContext.Provider value={given.scene}>
      <ProposalNote {...given} />
    </SceneContext.Provider>
  ));
}
