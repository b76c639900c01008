import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { permission, SESSION, tool } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import type { Permission } from '../../wire/types';

function ask(over: Partial<Permission> = {}) {
  const answerPermission = vi.fn(() => Promise.resolve());
  const asked = permission({ request_id: 'r1', rule: 'execute:npm test', ...over });
  const { view } = draw([tool('i1', { tool_kind: 'execute', permission: asked })], {
    actions: { answerPermission },
  });
  const card = view.getByRole('group', { name: 'Permission request' });
  return { card, in: within(card), view, answerPermission };
}

async function opened(asked: ReturnType<typeof ask>, which: string): Promise<void> {
  const details = asked.card.querySelector<HTMLDetailsElement>(which);
  expect(details).not.toBeNull();
  if (details !== null) {
    details.open = true;
    fireEvent(details, new Event('toggle'));
  }
  await waitFor(() => expect(details?.childElementCount).toBeGreaterThan(1));
}

describe('what goes beyond the options', () => {
  it('leaves one button per option', () => {
    const asked = ask();
    const names = asked.in.getAllByRole('button').map(button => button.textContent);
    expect(names).toHaveLength(permission({}).options.length);
  });

  it.each([
    ['This command', ''],
    ['Files in src', 'edit:src/**'],
  ])('%s allows once, and remembers that in the session', async (name, wider) => {
    const wider_rules = [{ text: 'edit:src/**', words: 'Files in src' }];
    const asked = ask({ wider_rules });
    expect(asked.view.queryByRole('button', { name })).toBeNull();
    await opened(asked, '.acp-always');
    const session = within(asked.view.getByRole('group', { name: 'Always in this session' }));
    const button = session.getByRole('button', { name });
    expect(button.title).toBe(wider === '' ? 'execute:npm test' : wider);
    fireEvent.click(button);
    expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once', {
      remember: 'session',
      wider_rule: wider,
      reason: '',
    });
  });

  it('remembers in the folder what is chosen there', async () => {
    const asked = ask();
    await opened(asked, '.acp-always');
    const folder = within(asked.view.getByRole('group', { name: 'Always in this folder' }));
    fireEvent.click(folder.getByRole('button', { name: 'This command' }));
    expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once', {
      remember: 'workspace',
      wider_rule: '',
      reason: '',
    });
  });

  it('has a key for the menu, and for each answer in it while it is open', async () => {
    const asked = ask({ wider_rules: [{ text: 'edit', words: 'All edits' }] });
    const press = (key: string, target: Element = asked.card) => fireEvent.keyDown(target, { key });
    press('5');
    expect(asked.answerPermission).not.toHaveBeenCalled();
    const menu = asked.card.querySelector<HTMLDetailsElement>('.acp-always');
    press('4');
    expect(menu?.open).toBe(true);
    await opened(asked, '.acp-always');
    press('Escape');
    expect(menu?.open).toBe(false);
    expect(document.activeElement).toBe(menu?.querySelector('summary'));
    await opened(asked, '.acp-always');
    press('6');
    expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once', {
      remember: 'session',
      wider_rule: 'edit',
      reason: '',
    });
  });

  it("tells the agent's own lasting answer from ours, under the agent's name for it", () => {
    const asked = ask();
    const own = asked.in.getByRole('button', { name: 'Always allow `npm test`' });
    expect(own.textContent).toMatch(/’s own\)/);
    expect(own.title).toContain('not one of your rules');
    expect(asked.in.getByRole('button', { name: /Allow once|Yes/ }).textContent).not.toContain(
      'own',
    );
  });

  it('offers to remember nothing where there is no rule', () => {
    const asked = ask({ rule: '' });
    expect(asked.view.queryByRole('group', { name: 'Always in this session' })).toBeNull();
    expect(asked.in.getByText('Say why not')).not.toBeNull();
  });

  it('sends the reason with a no, by its button and by Enter', async () => {
    for (const how of ['button', 'Enter']) {
      const asked = ask();
      await opened(asked, '.acp-always');
      await opened(asked, '.acp-more .acp-more');
      const box = asked.in.getByRole('textbox', { name: 'Why not' });
      fireEvent.input(box, { target: { value: ' Too slow ' } });
      if (how === 'Enter') {
        fireEvent.keyDown(box, { key: 'Enter' });
      } else {
        fireEvent.click(asked.in.getByRole('button', { name: /Reject|No/ }));
      }
      expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'no', {
        remember: null,
        wider_rule: '',
        reason: 'Too slow',
      });
      document.body.replaceChildren();
    }
  });

  it('sends no reason with a yes, and nothing by Enter without words', async () => {
    const asked = ask({ rule: '' });
    await opened(asked, '.acp-more');
    const box = asked.in.getByRole('textbox', { name: 'Why not' });
    fireEvent.keyDown(box, { key: 'Enter' });
    fireEvent.keyDown(box, { key: '1' });
    expect(asked.answerPermission).not.toHaveBeenCalled();
    fireEvent.input(box, { target: { value: 'x' } });
    fireEvent.click(asked.in.getByRole('button', { name: /Allow once|Yes/ }));
    expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once');
  });

  it('is not there without something to refuse or remember', () => {
    const asked = ask({
      rule: '',
      options: [{ option_id: 'a', name: 'Red', option_kind: 'allow_once' }],
    });
    expect(asked.card.querySelector('details')).toBeNull();
  });
});
