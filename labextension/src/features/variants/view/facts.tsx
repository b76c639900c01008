import { useCallback } from 'preact/hooks';

import { hasFailed, isTool } from '../../../state/items';
import { agentOf, currentName } from '../../../state/session_view';
import type { SessionStore } from '../../../state/store';
import type { Item, TurnState } from '../../../wire/types';
import { between, duration, plural, tokens } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { Counts } from '../../../views/parts/files';
import { Icon } from '../../../views/parts/icons';
import { useNow, useSubscription } from '../../../views/scene';

interface VariantFactsProps {
  readonly store: SessionStore;
  readonly turn: TurnState | undefined;
  /** From 1. */
  readonly number: number;
  readonly t: Translate;
}

/** A turn, drawn again on each change of it. */
export function useTurn(store: SessionStore, turnId: string): TurnState | undefined {
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  return store.view.turns.get(turnId);
}

/** The facts of a variant: its agent and model, its state, its cost and its changes. */
export function VariantFacts({ store, turn, number, t }: VariantFactsProps) {
  const { view } = store;
  const runs = turn !== undefined && turn.status !== 'done' && view.saved === null;
  const now = useNow(runs);
  const items = (view.byTurn.get(turn?.turn_id ?? '') ?? []).flatMap(
    id => view.items.get(id) ?? [],
  );
  const files = turn?.changes?.files ?? [];
  const model = currentName(view.session, 'model');
  const seconds = between(turn?.started_at ?? null, turn?.ended_at ?? (runs ? now : null));
  const facts = [
    duration(seconds),
    tokens(turn?.tokens ?? null, t),
    files.length > 0 ? plural(t, files.length, '1 file', '%1 files') : '',
    testWords(items, t),
  ].filter(fact => fact !== '');
  return (
    <>
      <span class="who">
        <State turn={turn} runs={runs} />
        <b class="cut">{nameOf(store, number, t)}</b>
        {model !== '' && <span class="cut muted">{model}</span>}
      </span>
      <span class="cut">{stateWords(turn, t)}</span>
      <span class="facts muted num">
        <span class="cut">{facts.join(' · ')}</span>
        {files.length > 0 && <Counts added={sum(files, 'added')} removed={sum(files, 'removed')} />}
      </span>
    </>
  );
}

/** Number and agent of a variant. */
export function nameOf({ view }: SessionStore, number: number, t: Translate): string {
  return `${number} · ${agentOf(view).name || t('Agent')}`;
}

function State({ turn, runs }: { readonly turn: TurnState | undefined; readonly runs: boolean }) {
  switch (stateOf(turn)) {
    case 'asks':
      return <Icon name="warning" small />;
    case 'error':
      return <Icon name="close" small />;
    case 'kept':
      return <Icon name="keep" small />;
    case 'running':
      return runs ? <span class="spin" aria-hidden="true" /> : <Icon name="pending" small />;
    case 'done':
      return <Icon name="agent" small />;
  }
}

type VariantState = 'running' | 'asks' | 'error' | 'kept' | 'done';

export function stateOf(turn: TurnState | undefined): VariantState {
  if (turn?.status === 'requires_action') {
    return 'asks';
  }
  if (turn?.status !== 'done') {
    return 'running';
  }
  if (turn.changes?.files.some(({ kept, reverted }) => kept && !reverted) === true) {
    return 'kept';
  }
  return turn.stop_reason === 'error' ? 'error' : 'done';
}

function stateWords(turn: TurnState | undefined, t: Translate): string {
  switch (stateOf(turn)) {
    case 'asks':
      return t('Asks you');
    case 'error':
      return t('Failed');
    case 'kept':
      return t('Kept');
    case 'running':
      return turn?.status === 'queued' ? t('Waiting') : t('Working');
    case 'done':
      return (turn?.changes ?? null) === null ? t('Changed no file') : t('Not kept');
  }
}

/** Commands that run tests. */
const TESTS =
  /\b(pytest|unittest|tox|nox|jest|vitest|ctest|(npm|yarn|pnpm|cargo|go|make|mvn|dotnet) (run )?test)\b/;

function testWords(items: readonly Item[], t: Translate): string {
  const runs = items.filter(isTool).filter(({ command }) => TESTS.test(command));
  const failed = runs.filter(hasFailed).length;
  if (runs.length === 0) {
    return '';
  }
  const words = plural(t, runs.length, '1 test run', '%1 test runs');
  return failed === 0 ? words : `${words}, ${t('%1 failed', String(failed))}`;
}

function sum(
  files: readonly { readonly added: number | null; readonly removed: number | null }[],
  name: 'added' | 'removed',
): number {
  return files.reduce((total, file) => total + (file[name] ?? 0), 0);
}
