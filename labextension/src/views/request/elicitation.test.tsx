import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import { parseItem } from '../../wire/parse_snapshot';
import type { Elicitation, ElicitationField } from '../../wire/types';

afterEach(() => {
  vi.unstubAllGlobals();
});

function field(name: string, over: Partial<ElicitationField> = {}): ElicitationField {
  return {
    name,
    label: name,
    description: '',
    type: 'text',
    words: '',
    required: false,
    secret: false,
    default: null,
    choices: [],
    min_length: null,
    max_length: null,
    pattern: '',
    format: '',
    minimum: null,
    maximum: null,
    min_items: null,
    max_items: null,
    ...over,
  };
}

function question(over: Partial<Elicitation> = {}): Elicitation {
  return {
    kind: 'elicitation',
    id: 'i1',
    turn_id: 't1',
    request_id: 'e1',
    state: 'pending',
    mode: 'form',
    title: 'Question from Claude',
    heading: '',
    message: 'Which colour?',
    description: '',
    fields: [],
    url: '',
    host: '',
    tool_call_id: '',
    answers: [],
    outcome: '',
    answered_by: '',
    asked_at: 0,
    ...over,
  };
}

const COLOURS = ['red', 'green'].map(value => ({ value, label: `The ${value}`, description: '' }));

const ALL = [
  field('colour', { type: 'choice', choices: COLOURS, default: 'green', required: true }),
  field('points', { type: 'integer', minimum: 1 }),
  field('grid', { type: 'boolean', default: true }),
  field('columns', { type: 'choices', choices: COLOURS }),
  field('note', { default: 'as it was', max_length: 20 }),
  field('key', { secret: true }),
  field('spin', { type: 'unknown', words: 'It is sent as text.' }),
];

function ask(over: Partial<Elicitation> = {}, answerElicitation = vi.fn(() => Promise.resolve())) {
  const drawn = draw([question({ fields: ALL, ...over })], { actions: { answerElicitation } });
  const card = drawn.view.getByRole('group', { name: 'Question from Claude' });
  return { card: within(card), element: card, answerElicitation, drawn };
}

/** Presses Enter in the first text field. */
function submit(card: HTMLElement): void {
  const box = card.querySelector('form input[type="text"]');
  expect(box).not.toBeNull();
  if (box !== null) {
    fireEvent.keyDown(box, { key: 'Enter' });
  }
}

describe('a question that comes', () => {
  it.each(['textarea', 'input'])('takes the focus from no %s', tag => {
    const field = document.createElement(tag);
    document.body.append(field);
    field.focus();
    ask();
    expect(document.activeElement).toBe(field);
  });
});

describe('a form', () => {
  it('labels every field, shows defaults, and sends what is in sight', () => {
    const { card, answerElicitation } = ask();
    expect(card.getByRole('radio', { name: 'The green' })).toHaveProperty('checked', true);
    expect(card.getByRole('checkbox', { name: 'grid' })).toHaveProperty('checked', true);
    expect(card.getByRole('textbox', { name: 'note' })).toHaveProperty('value', 'as it was');
    expect(card.getByLabelText('key')).toHaveProperty('type', 'password');
    expect(card.getByText('It is sent as text.')).not.toBeNull();
    expect(answerElicitation).not.toHaveBeenCalled();
    fireEvent.click(card.getByRole('radio', { name: 'The red' }));
    fireEvent.click(card.getByRole('checkbox', { name: 'The green' }));
    fireEvent.input(card.getByRole('textbox', { name: 'points' }), { target: { value: '12' } });
    fireEvent.click(card.getByRole('button', { name: 'Submit' }));
    expect(answerElicitation).toHaveBeenCalledWith(SESSION, 'e1', {
      action: 'accept',
      content: { colour: 'red', points: '12', grid: true, columns: ['green'], note: 'as it was' },
    });
  });

  it.each([
    ['Decline', 'decline'],
    ['Cancel', 'cancel'],
  ])('%s sends no answers', (name, action) => {
    const { card, answerElicitation } = ask();
    fireEvent.click(card.getByRole('button', { name }));
    expect(answerElicitation).toHaveBeenCalledWith(SESSION, 'e1', { action, content: {} });
  });

  it('tells at once what can be told, and sends nothing', () => {
    const { card, answerElicitation } = ask();
    fireEvent.input(card.getByRole('textbox', { name: 'points' }), { target: { value: '0' } });
    fireEvent.click(card.getByRole('button', { name: 'Submit' }));
    expect(answerElicitation).not.toHaveBeenCalled();
    const box = card.getByRole('textbox', { name: 'points' });
    expect(box.getAttribute('aria-invalid')).toBe('true');
    expect(card.getByText('Must be at least 1.')).not.toBeNull();
  });

  it('shows what the server says of each field, and lets it be mended', async () => {
    const wrong = Object.assign(new Error('Nothing was sent.'), { fields: { note: 'No such.' } });
    const { card, answerElicitation, element } = ask(
      {},
      vi.fn(() => Promise.reject(wrong)),
    );
    fireEvent.click(card.getByRole('button', { name: 'Submit' }));
    await waitFor(() => expect(card.getByText('No such.')).not.toBeNull(), { container: element });
    const box = card.getByRole('textbox', { name: 'note' });
    expect(box.getAttribute('aria-describedby')).toBe(card.getByText('No such.').id);
    fireEvent.click(card.getByRole('button', { name: 'Submit' }));
    expect(answerElicitation).toHaveBeenCalledTimes(2);
  });

  it('keeps what was typed when it is drawn anew', () => {
    const { card, drawn } = ask();
    fireEvent.input(card.getByRole('textbox', { name: 'note' }), { target: { value: 'typed' } });
    expect(drawn.store.ui.value('question e1')).toContain('typed');
  });

  it('sends one field on Enter, and several not', () => {
    const several = ask();
    submit(several.element);
    expect(several.answerElicitation).not.toHaveBeenCalled();
    several.drawn.element.remove();
    const one = ask({ fields: [field('name', { default: 'Ada' })] });
    submit(one.element);
    expect(one.answerElicitation).toHaveBeenCalledTimes(1);
  });

  it('labels its fields alone, however many views the page has', () => {
    ask({ fields: [field('name')] });
    const second = ask({ fields: [field('name')] });
    const boxes = [...document.querySelectorAll('input')];
    expect(new Set(boxes.map(box => box.id)).size).toBe(2);
    expect(second.card.getByLabelText('name')).toBe(boxes[1]);
  });

  it('keeps keys from the notebook', () => {
    const { element } = ask();
    const controls = element.querySelectorAll('input, select, button, [tabindex]');
    expect(controls.length).toBeGreaterThan(10);
    for (const control of [element, ...controls]) {
      expect(control.matches('[data-lm-suppress-shortcuts]')).toBe(true);
    }
  });
});

describe('a page to open', () => {
  const page = { mode: 'url', url: 'https://example.org/a?b', host: 'example.org' } as const;

  it('shows the whole address and its host, and opens it by a click only', () => {
    const open = vi.fn();
    vi.stubGlobal('open', open);
    const { card, element, answerElicitation } = ask({ ...page, fields: [] });
    expect(card.getByText('https://example.org/a?b')).not.toBeNull();
    expect(card.getByText('example.org')).not.toBeNull();
    expect(element.querySelector('a, img, iframe, link')).toBeNull();
    expect(open).not.toHaveBeenCalled();
    fireEvent.click(card.getByRole('button', { name: 'Open link' }));
    expect(open).toHaveBeenCalledWith('https://example.org/a?b', '_blank', 'noopener,noreferrer');
    expect(answerElicitation).toHaveBeenCalledWith(SESSION, 'e1', {
      action: 'accept',
      content: {},
    });
  });

  it('opens nothing when it is declined, and nothing that is no address', () => {
    const open = vi.fn();
    vi.stubGlobal('open', open);
    const { card } = ask({ ...page, url: 'javascript:alert(1)', fields: [] });
    fireEvent.click(card.getByRole('button', { name: 'Open link' }));
    fireEvent.click(card.getByRole('button', { name: 'Decline' }));
    expect(open).not.toHaveBeenCalled();
  });
});

describe('an answered question', () => {
  const answered = question({
    state: 'accepted',
    outcome: 'Answered',
    answers: [{ name: 'colour', label: 'Colour', text: 'The red' }],
  });

  it.each([{}, null])('shows what was asked and answered, without controls', actions => {
    const { view } = draw([answered], { actions });
    const card = view.getByRole('group', { name: 'Question from Claude' });
    expect(card.textContent).toContain('Which colour?');
    expect(card.textContent).toContain('The red');
    expect(card.textContent).toContain('Answered');
    expect(card.querySelector('button, input, select')).toBeNull();
  });

  it('has no controls in a saved record, even if it waits there', () => {
    const { view } = draw([question({ fields: ALL })], { actions: null });
    const card = view.getByRole('group', { name: 'Question from Claude' });
    expect(card.querySelector('button, input, select')).toBeNull();
  });

  it('is read from a record field by field', () => {
    const raw: Record<string, unknown> = { ...answered, url: 3, fields: 'x', state: 'odd' };
    expect(parseItem(raw)).toEqual({ ...answered, url: '', fields: [], state: 'expired' });
  });
});
