import type { ComponentChildren } from 'preact';

import { hunkKey } from '../diff/hunks';
import type { DiffHunk } from '../diff/hunks';
import type { Translate } from '../i18n';
import { useScene } from '../scene';
import { DecisionButtons } from './decision_buttons';
import type { Decided, Decision } from './decisions';

interface HunkFrameProps {
  readonly hunk: DiffHunk;
  readonly path: string;
  /** Key of its file in the view. */
  readonly fileKey: string;
  readonly decided: Decided;
  /** See `DecisionButtons`. */
  readonly canLeave?: boolean;
  readonly onFailure: (message: string) => void;
  readonly children: ComponentChildren;
}

/** A change in a file, with the buttons that decide on it. */
export function HunkFrame({
  hunk,
  path,
  fileKey,
  decided,
  canLeave = false,
  onFailure,
  children,
}: HunkFrameProps) {
  const { t } = useScene();
  const { first, last, range } = hunk;
  const words =
    hunk.words ?? (first === last ? t('Line %1', first) : t('Lines %1–%2', first, last));
  return (
    <div
      class="acp-hunk"
      role="group"
      tabIndex={-1}
      aria-label={`${words}, ${path}${stateWords(decided.decision, t)}`}
      data-decide=""
      data-key={`${fileKey} ${hunkKey(range)}`}
      data-state={decided.decision}
    >
      <header role="presentation">
        <span class="grow">{words}</span>
        <DecisionButtons {...decided} {...{ canLeave, onFailure }} name={words} />
      </header>
      {children}
    </div>
  );
}

/** Follows the name of something that was decided on. */
export function stateWords(decision: Decision, t: Translate): string {
  return decision === 'open' ? '' : `, ${decisionWords(decision, t)}`;
}

export function decisionWords(decision: Exclude<Decision, 'open'>, t: Translate): string {
  return { kept: t('Kept'), reverted: t('Reverted'), left: t('Left') }[decision];
}
