import { cleanup, fireEvent, render, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, it, vi } from 'vitest';

import { session, SESSION } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import type { RuleEntry, SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import { identity } from '../i18n';
import { SceneContext } from '../scene';
import { MoreMenu } from './header';
import { Rules } from './rules';

afterEach(cleanup);

function entry(text: string, over: Partial<RuleEntry> = {}): RuleEntry {
  const rule = {
    id: text,
    scope: 'session' as const,
    effect: 'allow' as const,
    tool_kind: 'execute' as const,
    pattern: text,
    words: '',
    created_at: 0,
    user: '',
  };
  return { rule, text, session_id: SESSION, folder: '', ...over };
}

function show(over: Partial<Actions>, state: SessionState = session()) {
  const store = new SessionStore(SESSION);
  store.apply([snapshot([], [], state)]);
  const actions: Actions = {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    ...over,
  };
  const scene = { store, host: 'panel' as const, actions, t: identity, announce: () => undefined };
  return render(
    <SceneContext.Provider value={scene}>
      <MoreMenu session={state} onFailure={() => undefined} />
      <Rules session={state} />
    </SceneContext.Provider>,
  );
}

/** By the menu, since without rules of the session there is no line for them. */
function openRules(view: ReturnType<typeof show>): void {
  fireEvent.click(view.getByRole('button', { name: 'More' }));
  fireEvent.click(view.getByRole('menuitem', { name: 'Permission rules' }));
}

it('lists the rules, where they count, and takes one back', async () => {
  let left = [entry('execute:ls'), entry('edit:a', { session_id: '', folder: '/w' })];
  const listRules = vi.fn(() => Promise.resolve(left));
  const revokeRule = vi.fn((id: string) => {
    left = left.filter(each => each.rule.id !== id);
    return Promise.resolve();
  });
  const view = show({ listRules, revokeRule });
  expect(view.queryByRole('group', { name: 'Permission rules' })).toBeNull();
  expect(listRules).not.toHaveBeenCalled();
  openRules(view);
  const group = within(view.getByRole('group', { name: 'Permission rules' }));
  await waitFor(() => expect(group.getAllByRole('listitem')).toHaveLength(2));
  expect(listRules).toHaveBeenCalledWith(SESSION);
  expect(group.getAllByRole('listitem')[1]?.textContent).toContain('this folder');
  fireEvent.click(group.getByRole('button', { name: 'Remove the rule execute:ls' }));
  await waitFor(() => expect(group.getAllByRole('listitem')).toHaveLength(1));
  expect(revokeRule).toHaveBeenCalledExactlyOnceWith('execute:ls');
});

it('says that there are none, or why it does not know', async () => {
  const none = show({
    listRules: () => Promise.resolve([]),
    revokeRule: () => Promise.resolve(),
  });
  openRules(none);
  await waitFor(() => expect(none.getByText(/There are no rules yet/)).not.toBeNull());
  none.unmount();
  const broken = show({
    listRules: () => Promise.reject(new Error('rules.json can’t be read.')),
    revokeRule: () => Promise.resolve(),
  });
  openRules(broken);
  await waitFor(() =>
    expect(broken.getByRole('alert').textContent).toBe('rules.json can’t be read.'),
  );
});

it('counts those of the session, and is not there where they cannot be asked for', () => {
  const { rule } = entry('execute:ls');
  const view = show(
    { listRules: () => Promise.resolve([]), revokeRule: () => Promise.resolve() },
    session({ rules: [rule] }),
  );
  expect(view.getByRole('button', { name: '1 rule' })).not.toBeNull();
  view.unmount();
  expect(show({}).queryByRole('group')).toBeNull();
});
