import { useCallback } from 'preact/hooks';

import { isTool } from '../../state/items';
import type { Item, TurnState } from '../../wire/types';
import { Changes } from '../changes/changes';
import { changesOf, ReportedChanges } from '../changes/reported';
import { Prose } from '../markdown/prose';
import { useScene, useSubscription } from '../scene';
import { Checklist, StepsLine } from '../tool/plan';
import { ItemRow, Rows } from '../turn/items';
import { layOut } from '../turn/layout';
import { itemsOf, useWaiting } from '../turn/turn_body';

interface PartOfTurn {
  readonly turnId: string;
}

/** The answer of a turn, while it streams. */
export function TextPart({ turnId }: PartOfTurn) {
  const { t } = useScene();
  const { turn, items } = useTurn(turnId);
  const texts = items.filter(
    item =>
      (item.kind === 'agent_message' || item.kind === 'content_block') && item.parent_id === '',
  );
  return texts.length === 0 ? (
    <Empty turn={turn} words={t('No text.')} />
  ) : (
    <div
      class="acp-items"
      role="log"
      aria-live="off"
      aria-label={t('Answer')}
      aria-busy={turn?.status !== 'done'}
    >
      {texts.map(item => (
        <ItemRow key={item.id} item={item} waiting={NONE} />
      ))}
    </div>
  );
}

/** The newest plan of a turn as a checklist. */
export function PlanPart({ turnId }: PartOfTurn) {
  const { t } = useScene();
  const { turn, items } = useTurn(turnId);
  const plan = items.filter(item => item.kind === 'plan').pop();
  if (plan === undefined) {
    return <Empty turn={turn} words={t('No plan.')} />;
  }
  const steps = plan.entries.map(({ content, status }) => ({ words: content, status }));
  return (
    <div class="acp-plan" data-running={turn?.status === 'done' ? undefined : ''}>
      <div class="acp-line">
        <StepsLine title={t('Plan')} steps={steps} />
      </div>
      {steps.length > 0 ? (
        <Checklist title={t('Plan')} steps={steps} />
      ) : (
        <Prose itemId={plan.id} open={false} />
      )}
    </div>
  );
}

/** The tool calls of a turn, each with its subagents' calls below it. */
export function ToolCallsPart({ turnId }: PartOfTurn) {
  const { t } = useScene();
  const { turn, items } = useTurn(turnId);
  const waiting = useWaiting(items);
  const { rows } = layOut(items.filter(isTool), false);
  return rows.length === 0 ? (
    <Empty turn={turn} words={t('No tool calls.')} />
  ) : (
    <div class="acp-items" role="group" aria-label={t('Tool calls')}>
      <Rows id={`part ${turnId}`} rows={rows} waiting={waiting} />
    </div>
  );
}

/**
 * The files that a turn changed: while it runs those that its agent reports, then those that
 * differ.
 */
export function DiffsPart({ turnId }: PartOfTurn) {
  const { t } = useScene();
  const { turn, items } = useTurn(turnId);
  if (turn?.status === 'done' && turn.changes !== null) {
    return <Changes turnId={turnId} items={items} changes={turn.changes} />;
  }
  return changesOf(items).length === 0 ? (
    <Empty turn={turn} words={t('No changed files.')} />
  ) : (
    <ReportedChanges turnId={turnId} items={items} unknown="" />
  );
}

/** The open requests, with their buttons. */
export function PermissionPart({ turnId }: PartOfTurn) {
  const { t } = useScene();
  const { items } = useTurn(turnId);
  const waiting = useWaiting(items);
  const asked = items.filter(isAsked);
  return asked.length === 0 ? (
    <p class="acp-nothing muted" role="status">
      {t('Nothing is asked.')}
    </p>
  ) : (
    <div class="acp-items" role="group" aria-label={t('Waiting for your answer')}>
      {asked.map(item => (
        <ItemRow key={item.id} item={item} waiting={waiting} />
      ))}
    </div>
  );
}

function Empty({ turn, words }: { readonly turn: TurnState | undefined; readonly words: string }) {
  const { t } = useScene();
  const runs = turn !== undefined && turn.status !== 'done';
  return (
    <p class="acp-nothing muted">
      {runs && <span class="spin" aria-hidden="true" />}
      {runs ? t('Nothing yet.') : words}
    </p>
  );
}

function useTurn(turnId: string): { turn: TurnState | undefined; items: Item[] } {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const { view } = store;
  return {
    turn: view.turns.get(turnId),
    items: itemsOf(view.byTurn.get(turnId) ?? [], view.items),
  };
}

const NONE: readonly string[] = [];

function isAsked(item: Item): boolean {
  return isTool(item)
    ? item.permission?.state === 'pending'
    : (item.kind === 'elicitation' || item.kind === 'trust_request') && item.state === 'pending';
}
