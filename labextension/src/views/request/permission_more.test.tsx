import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { permission, SESSION, tool } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import type { Permission } from '../../wire/types';

function ask(over: Partial<Permission> = {}) {
  const answerPermission = vi.fn(() => Promise.resolve());
  const asked = permission({ request_id: 'r1', rule: 'execute:npm test', ...over });
  const { view } = draw([tool('i1', { permission: asked })], { actions: { answerPermission } });
  const card = view.getByRole('group', { name: 'Permission request' });
  return { card, in: within(card), answerPermission };
}

async function opened(asked: ReturnType<typeof ask>): Promise<void> {
  const details = asked.card.querySelector('details');
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
    ['Always in this session', 'session'],
    ['Always in this folder', 'workspace'],
  ])('%s allows once, and remembers the rule that is shown', async (name, remember) => {
    const asked = ask();
    await opened(asked);
    expect(asked.in.getByText('execute:npm test')).not.toBeNull();
    fireEvent.click(asked.in.getByRole('button', { name }));
    expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once', {
      remember,
      reason: '',
    });
  });

  it('offers to remember nothing where there is no rule', async () => {
    const asked = ask({ rule: '' });
    await opened(asked);
    expect(asked.in.queryByRole('button', { name: 'Always in this session' })).toBeNull();
    expect(asked.in.getByText('Say why not')).not.toBeNull();
  });

  it('sends the reason with a no, by its button and by Enter', async () => {
    for (const how of ['button', 'Enter']) {
      const asked = ask();
      await opened(asked);
      const box = asked.in.getByRole('textbox', { name: 'Why not' });
      fireEvent.input(box, { target: { value: ' Too slow ' } });
      if (how === 'Enter') {
        fireEvent.keyDown(box, { key: 'Enter' });
      } else {
        fireEvent.click(asked.in.getByRole('button', { name: /Reject|No/ }));
      }
      expect(asked.answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'no', {
        remember: null,
        reason: 'Too slow',
      });
      document.body.replaceChildren();
    }
  });

  it('sends no reason with a yes, and nothing by Enter without words', async () => {
    const asked = ask();
    await opened(asked);
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
