import { act, fireEvent, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { session, SESSION } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { SessionStore } from '../../../state/store';
import type { ConfigOption, SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Mounted, PanelProps } from '../../props';
import { mountPanel } from '../panel_view';

const MODEL = option({ id: 'model', name: 'Model', category: 'model', current_value: 'big' });

const EFFORT = option({ id: 'effort', name: 'Effort', category: 'thought_level' });

const SPEED = option({ id: 'speed', name: 'Stream speed' });

const WEB = option({
  id: 'web',
  name: 'Web search',
  type: 'boolean',
  current_value: false,
  choices: [],
});

let element: HTMLElement;

let mounted: Mounted<PanelProps>;

const setConfig = vi.fn<NonNullable<Actions['setConfig']>>(() => Promise.resolve());

beforeEach(() => {
  setConfig.mockClear();
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted.dispose();
  document.body.replaceChildren();
});

function option(over: Partial<ConfigOption>): ConfigOption {
  return {
    id: 'id',
    name: '',
    category: '',
    description: '',
    type: 'select',
    current_value: 'small',
    choices: ['small', 'big', 'bigger', 'other'].map(value => ({
      value,
      name: value,
      description: '',
      group: '',
    })),
    ...over,
  };
}

function show(...options: ConfigOption[]): void {
  showState({ config_options: options });
}

function showState(over: Partial<SessionState>, policies?: Actions['policies']): void {
  const store = new SessionStore(SESSION);
  const state = session({ status: 'idle', active_turn_id: null, ...over });
  store.apply([snapshot([], [], state)]);
  mounted = mountPanel(element, {
    store,
    sessions: [],
    agents: [],
    connection: { state: 'open' },
    failure: null,
    actions: {
      ...(policies === undefined ? {} : { policies }),
      answerPermission: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
      send: () => Promise.resolve(),
      setConfig,
    },
  });
}

const view = () => within(element);

const pickers = () => view().getAllByRole('combobox');

const names = () => pickers().map(each => each.getAttribute('aria-label'));

describe('the pickers', () => {
  it('are there for all that an agent lets choose, and for nothing else', () => {
    show(SPEED, EFFORT, MODEL, option({ id: 'none', name: 'Nothing', choices: [] }));
    expect(names()).toEqual(['Policy', 'Sandbox', 'Model', 'Stream speed', 'Effort']);
    fireEvent.click(view().getByRole('combobox', { name: 'Effort' }));
    fireEvent.click(view().getByRole('option', { name: 'bigger' }));
    expect(setConfig).toHaveBeenCalledWith(SESSION, { config: { effort: 'bigger' } });
  });

  it('say beside the policy what the mode lets the agent do without asking', () => {
    const mode = option({ id: 'mode', category: 'mode', current_value: 'other' });
    show(mode);
    expect(element.querySelector('.badge.warn')).toBeNull();
    mounted.dispose();
    showState({ config_options: [mode], unasked: 'judged' });
    const badge = element.querySelector('.acp-picks .badge.warn');
    expect(badge?.firstChild?.textContent).toBe('Decides itself what to ask');
    expect(badge?.getAttribute('title')).toBe(
      'Mode “other” of the agent. The policy decides only about what it asks.',
    );
  });

  it('show the policy, say what each means, and change it', () => {
    show();
    const policy = view().getByRole('combobox', { name: 'Policy' });
    expect(policy.textContent).toBe('Ask');
    fireEvent.click(policy);
    const edits = view().getByRole('option', { name: /^Accept edits/ });
    expect(edits.textContent).toContain('You are asked about the rest.');
    fireEvent.click(edits);
    expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { policy: 'accept-edits' });
  });

  it('let nobody choose a policy that the administrator has not allowed', () => {
    showState({}, ['ask', 'read-only']);
    fireEvent.click(view().getByRole('combobox', { name: 'Policy' }));
    const all = view().getByRole('option', { name: /^Allow all/ });
    expect(all.textContent).toContain('Your administrator has not allowed this.');
    expect(all.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(all);
    expect(setConfig).not.toHaveBeenCalled();
    fireEvent.click(view().getByRole('option', { name: /^Read only/ }));
    expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { policy: 'read-only' });
  });

  it('say of a switch what is on or off', () => {
    show(WEB);
    const web = view().getByRole('combobox', { name: 'Web search' });
    expect(web.textContent).toBe('Web search: off');
    fireEvent.click(web);
    fireEvent.click(view().getByRole('option', { name: 'On' }));
    expect(setConfig).toHaveBeenCalledWith(SESSION, { config: { web: true } });
  });

  it('say of what something is the default', () => {
    const named = (name: string) => [{ value: 'small', name, description: '', group: '' }];
    show(
      option({ id: 'effort', name: 'Effort', choices: named('Default (recommended)') }),
      option({ id: 'speed', name: 'Speed', choices: named('As fast as can be') }),
    );
    expect(pickers().map(each => each.textContent)).toEqual([
      'Ask',
      'Sandbox: Off',
      'Effort: Default',
      'Speed: As fast',
    ]);
  });

  it('are few, whatever an agent sends', () => {
    show(...Array.from({ length: 500 }, (_, n) => option({ id: `o${n}`, name: `Option ${n}` })));
    expect(pickers()).toHaveLength(8);
  });

  it('stay open under the pointer in a shadow root, and close for one elsewhere', () => {
    const host = document.createElement('div');
    document.body.append(host);
    host.attachShadow({ mode: 'open' }).append(element);
    show(MODEL);
    fireEvent.click(view().getByRole('combobox', { name: 'Model' }));
    const press = (on: Element) =>
      void act(
        () => void on.dispatchEvent(new Event('pointerdown', { bubbles: true, composed: true })),
      );
    const bigger = () => view().queryByRole('option', { name: 'bigger' });
    press(bigger() ?? element);
    expect(bigger()).not.toBeNull();
    press(document.body);
    expect(bigger()).toBeNull();
  });

  it('go to what is typed', () => {
    show(MODEL);
    const model = view().getByRole('combobox', { name: 'Model' });
    fireEvent.click(model);
    const chosen = () => view().getByRole('option', { selected: true }).textContent;
    expect(chosen()).toBe('big');
    fireEvent.keyDown(model, { key: 'o' });
    expect(chosen()).toBe('other');
    for (const key of 'ther!') {
      fireEvent.keyDown(model, { key });
    }
    expect(chosen()).toBe('other');
    fireEvent.keyDown(model, { key: 'Enter' });
    expect(setConfig).toHaveBeenCalledWith(SESSION, { config: { model: 'other' } });
  });
});
