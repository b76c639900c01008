import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import {
  edit as edited,
  message,
  permission,
  session,
  SESSION,
  tool,
  turn,
} from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import { isRecord } from '../../wire/read';
import type { Item, PermissionOption, ToolCall, TurnState } from '../../wire/types';
import { outcomeOf } from './outcome';

const CELL = { cellId: 'c1', asked: 'a = 1 / 0\n' };

const ARGUMENTS = { cell_id: 'c1', source: 'a = 1\n', fingerprint: 'f' };

const OPTIONS: readonly [PermissionOption, PermissionOption] = [
  { option_id: 'allow', name: 'Allow', option_kind: 'allow_once' as const },
  { option_id: 'no', name: 'Reject', option_kind: 'reject_once' as const },
];

interface Edited {
  readonly source: string;
  readonly edits: readonly unknown[];
  /** `null` if the tool refuses them. */
  readonly edited: string | null;
}

function isEdited(value: unknown): value is Edited {
  return isRecord(value) && typeof value.source === 'string' && Array.isArray(value.edits);
}

const FILE: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/golden/cell_edits.json'), 'utf8'),
);

const EDITS = Array.isArray(FILE) ? FILE.filter(isEdited) : [];

function outcome(items: readonly Item[], over: Partial<TurnState> = {}, source = CELL.asked) {
  const store = new SessionStore(SESSION);
  store.apply([snapshot(items, [turn(over)], session())]);
  return outcomeOf(store.view, turn().turn_id, { ...CELL, asked: source });
}

function edit(over: Partial<ToolCall>): ToolCall {
  return tool('i1', { title: 'edit_cell', tool_kind: 'edit', raw_input: ARGUMENTS, ...over });
}

const asked = permission({ request_id: 'r1', state: 'pending', options: [...OPTIONS] });

const done = { status: 'done', stop_reason: 'end_turn' } as const;

describe('what a prompt for a fix has come to', () => {
  it.each([
    ['as the tools send them', ARGUMENTS],
    ['beside the name of the tool', { server: 'notebook', arguments: ARGUMENTS }],
    ['in an approval of Codex', { request: { _meta: { tool_params: ARGUMENTS } } }],
  ])('is the proposal of a request with its arguments %s', (_, raw_input) => {
    expect(outcome([edit({ raw_input, permission: asked })])).toEqual({
      kind: 'proposal',
      source: 'a = 1\n',
      request: { requestId: 'r1', allow: 'allow', reject: 'no' },
    });
  });

  it('is what the edits of a request make of the cell, whatever its agent shows beside them', () => {
    const { diffs } = edited('i1');
    expect(EDITS.length).toBeGreaterThan(10);
    for (const { source, edits, edited: after } of EDITS) {
      const raw_input = { cell_id: 'c1', edits };
      const found = outcome([edit({ raw_input, diffs, permission: asked })], {}, source);
      const refused = { kind: 'waits', for: 'answer' };
      expect(found).toMatchObject(after === null ? refused : { kind: 'proposal', source: after });
    }
  });

  it('is a question to answer at the cell where a tool that only reads is asked for', () => {
    const request = { requestId: 'r1', allow: 'allow', reject: 'no' };
    const reads = (over: Partial<ToolCall>) => {
      const { tool_name = 'mcp__notebook__last_error' } = over;
      const call = { tool_name, title: tool_name, raw_input: {}, permission: asked };
      return tool('i2', { ...call, ...over });
    };
    expect(outcome([reads({})])).toEqual({
      ...{ kind: 'asks', tool: 'mcp__notebook__last_error', request },
    });
    const cells = reads({ tool_name: 'notebook_read_cells', raw_input: { cell_ids: ['c1'] } });
    expect(outcome([cells])).toMatchObject({ tool: 'notebook_read_cells {"cell_ids":["c1"]}' });
    const tables = reads({ tool_name: 'mcp__notebook__list_tables' });
    expect(outcome([tables])).toMatchObject({ kind: 'asks' });
    const others: Partial<ToolCall>[] = [
      { tool_name: 'mcp__notebook__run_code' },
      { tool_name: 'mcp__notebook__query' },
      { tool_name: 'mcp__notebook__last_error_of' },
      { tool_name: 'mcp__other__inspect' },
      { command: 'rm -r .' },
      { raw_input: { code: 'x'.repeat(200) } },
      { raw_input: { code: '\u202e' } },
      { title: 'Print' },
      { permission: { ...asked, details: [{ name: 'folder', value: '/' }] } },
    ];
    for (const over of others) {
      expect(outcome([reads(over)])).toEqual({ kind: 'waits', for: 'answer' });
    }
    const twice = [reads({}), reads({ id: 'i3' })];
    expect(outcome(twice)).toEqual({ kind: 'waits', for: 'answer' });
  });

  it('is a question where not one option allows it once', () => {
    const [once, no] = OPTIONS;
    const twice = { ...asked, options: [once, { ...once, option_id: 'too' }, no] };
    const never = { ...asked, options: [no] };
    for (const permission of [twice, never]) {
      expect(outcome([edit({ permission })])).toEqual({ kind: 'waits', for: 'answer' });
    }
  });

  it('is no proposal where a request is about another cell, or something else', () => {
    const other = edit({ raw_input: { ...ARGUMENTS, cell_id: 'c2' }, permission: asked });
    expect(outcome([other])).toEqual({ kind: 'waits', for: 'answer' });
    expect(outcome([edit({ raw_input: 'c1' })])).toEqual({ kind: 'waits', for: 'agent' });
    expect(outcome([], { status: 'queued' })).toEqual({ kind: 'waits', for: 'queue' });
  });

  it('is an edit once the tool has made it, asked for or not', () => {
    const edited = { kind: 'edited', source: 'a = 1\n' };
    const allowed = { ...asked, state: 'allowed' as const };
    expect(outcome([edit({ status: 'completed', permission: allowed })])).toEqual(edited);
    expect(outcome([edit({ status: 'completed', permission: null })])).toEqual(edited);
    const failed = edit({ status: 'failed', permission: allowed });
    expect(outcome([failed])).toEqual({ kind: 'refused' });
    const rejected = edit({ status: 'failed', permission: { ...asked, state: 'rejected' } });
    expect(outcome([rejected], done)).toEqual({ kind: 'nothing' });
  });

  it('is the last code block of an answer, byte for byte, once the turn has ended', () => {
    const answer = message('i1', 'Not this:\n```\nb\n```\nBut:\n````python\na = "```"  \n\n````\n');
    expect(outcome([answer])).toEqual({ kind: 'waits', for: 'agent' });
    const proposal = { kind: 'proposal', source: 'a = "```"  \n', request: null };
    expect(outcome([answer], done)).toEqual(proposal);
  });

  it('is nothing where the answer has no code, an open block, or the same code', () => {
    for (const text of ['Good luck.', '```\na = 1', '```\na = 1 / 0\n\n```', 'so ```a``` it is']) {
      expect(outcome([message('i1', text)], done)).toEqual({ kind: 'nothing' });
    }
  });

  it('is a failure in the words of the host, or a stop', () => {
    const failure = { message: 'Log in first.', detail: '', reason: 'auth_required' };
    const ended = { ...done, stop_reason: 'error', failure };
    expect(outcome([], ended)).toEqual({
      ...{ kind: 'failed', message: 'Log in first.', stopped: false },
    });
    const stopped = outcome([], { ...done, stop_reason: 'cancelled' });
    expect(stopped).toMatchObject({ kind: 'failed', stopped: true });
  });
});
