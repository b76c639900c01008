import type {
  AgentEntry,
  AgentMessage,
  Artifact,
  ChangedFile,
  FileWriteItem,
  Item,
  Notice,
  Permission,
  SessionState,
  Thought,
  TodoItem,
  ToolCall,
  TurnEnd,
  TurnState,
} from '../../src/wire/types';

/** Items, turns and sessions as the server sends them, with what a test cares about on top. */

export const SESSION = 's1';

export const TURN = 't1';

export function session(over: Partial<SessionState> = {}): SessionState {
  return {
    session_id: SESSION,
    title: 'Make clean.py twice as fast',
    agent: 'claude',
    agent_info: { id: 'claude', name: 'Claude', version: '2.0' },
    cwd: '/home/user/analysis',
    folder: '~/projects/analysis',
    status: 'running',
    policy: 'ask',
    policy_user: '',
    sandbox: 'off',
    network: 'all',
    walls: null,
    rules: [],
    active_turn_id: TURN,
    queue: [],
    waiting: 0,
    background: 0,
    named: false,
    notebook_path: 'work/analysis.ipynb',
    former_paths: [],
    modes: [],
    current_mode_id: '',
    unasked: '',
    logged_in: '',
    config_options: [],
    model: '',
    tools: [],
    commands: [],
    usage: null,
    use: { turns: 0, seconds: 0, calls: 0, tokens: null, costs: [] },
    limit: '',
    turn_limit: '',
    limits_by_user: false,
    prompt_capabilities: [],
    can: [],
    auth_methods: [],
    needs_login: '',
    login: null,
    agent_session_id: '',
    history: 'whole',
    silent_since: null,
    looking: false,
    held: '',
    stored: false,
    read_only: '',
    archived: false,
    branch: null,
    reverted: [],
    continues_in: '',
    variant: null,
    copied_folder: '',
    created_at: 0,
    updated_at: 0,
    ...over,
  };
}

export function agentEntry(over: Partial<AgentEntry> = {}): AgentEntry {
  return {
    id: 'claude',
    name: 'Claude',
    status: 'ready',
    detail: '',
    install: '',
    website: '',
    package: '',
    notes: [],
    run: '',
    listed: false,
    methods: [],
    ...over,
  };
}

export function turn(over: Partial<TurnState> = {}): TurnState {
  return {
    turn_id: TURN,
    session_id: SESSION,
    status: 'running',
    stop_reason: '',
    words: '',
    prompt: 'Make clean.py twice as fast. Keep the tests green.',
    policy: 'ask',
    sandbox: 'off',
    user: '',
    rules: [],
    changes: null,
    changes_unknown: '',
    variant: 0,
    in_copy: false,
    origin: null,
    copy_of: null,
    queued_at: 0,
    started_at: 0,
    ended_at: null,
    failure: null,
    tokens: null,
    input_tokens: null,
    output_tokens: null,
    ...over,
  };
}

export function message(id: string, text: string, open = false, turnId = TURN): AgentMessage {
  return { id, turn_id: turnId, parent_id: '', kind: 'agent_message', text, open };
}

export function prompt(id: string, text: string, turnId = TURN): Item {
  return {
    id,
    turn_id: turnId,
    kind: 'user_message',
    text,
    attachments: [],
    at: 0,
    steered: false,
  };
}

/** What was said while a turn ran, where the agent took it. */
export function steered(id: string, text: string, turnId = TURN): Item {
  return {
    id,
    turn_id: turnId,
    kind: 'user_message',
    text,
    attachments: [],
    at: 0,
    steered: true,
  };
}

export function thought(id: string, text: string, over: Partial<Thought> = {}): Thought {
  return {
    id,
    turn_id: TURN,
    parent_id: '',
    kind: 'thought',
    title: '',
    text,
    open: false,
    started_at: 0,
    ended_at: 6,
    ...over,
  };
}

export function tool(id: string, over: Partial<ToolCall> = {}): ToolCall {
  return {
    id,
    turn_id: TURN,
    parent_id: '',
    kind: 'tool_call',
    tool_call_id: id,
    tool_kind: 'read',
    ui_kind: 'read',
    tool_name: 'Read',
    title: 'Reading file',
    description: 'src/clean.py',
    status: 'completed',
    command: '',
    path: 'src/clean.py',
    locations: [],
    subagent_type: '',
    is_new_file: null,
    output: '',
    first_line: null,
    exit_code: null,
    truncated: false,
    files: null,
    hits: null,
    remarks: [],
    count: null,
    todos: null,
    diagnostics: [],
    progress: null,
    message: '',
    diffs: [],
    blocks: [],
    raw_input: null,
    raw_output: null,
    permission: null,
    terminal: null,
    wall: null,
    background: false,
    can_cancel: false,
    cancelling: false,
    subagent_session_id: '',
    started_at: 1,
    ended_at: 1.1,
    ...over,
  };
}

export function command(id: string, over: Partial<ToolCall> = {}): ToolCall {
  return tool(id, {
    tool_kind: 'execute',
    ui_kind: 'execute',
    tool_name: 'Bash',
    title: 'Running command',
    description: 'Run the tests',
    command: 'npm test',
    path: '',
    ...over,
  });
}

export function edit(id: string, over: Partial<ToolCall> = {}): ToolCall {
  return tool(id, {
    tool_kind: 'edit',
    ui_kind: 'edit',
    tool_name: 'Edit',
    title: 'Editing file',
    diffs: [
      {
        path: 'src/clean.py',
        old_text: 'a\nb = df.loc[idx, "name"]\nc\n',
        new_text: 'a\nb = df.loc[row, "name"]\nc\nd\n',
        is_new_file: false,
        old_line: 1,
        new_line: 1,
        added: 2,
        removed: 1,
      },
    ],
    ...over,
  });
}

export const TODOS: readonly TodoItem[] = [
  { content: 'Run tests', active_form: 'Running tests', status: 'completed' },
  { content: 'Fix the bug', active_form: 'Fixing the bug', status: 'in_progress' },
  { content: 'Write docs', active_form: 'Writing docs', status: 'pending' },
];

export function todoList(id: string, over: Partial<ToolCall> = {}): ToolCall {
  return tool(id, {
    tool_kind: 'other',
    ui_kind: 'other',
    tool_name: 'todowrite',
    title: 'Updating todos',
    description: '3 todos',
    path: '',
    todos: [...TODOS],
    ...over,
  });
}

export function search(
  id: string,
  files: readonly string[],
  over: Partial<ToolCall> = {},
): ToolCall {
  return tool(id, {
    tool_kind: 'search',
    ui_kind: 'search',
    tool_name: 'glob',
    title: 'Searching files',
    description: '**/*.ts',
    path: '',
    output: files.join('\n'),
    files: [...files],
    count: files.length,
    ...over,
  });
}

export function artifact(id: string, over: Partial<Artifact> = {}): Artifact {
  return {
    id,
    turn_id: TURN,
    kind: 'artifact',
    artifact_id: id,
    type: 'csv',
    type_name: 'CSV',
    name: 'Prices',
    path: 'outputs/prices.csv',
    preview_url: '',
    download_url: '',
    mime_type: 'text/csv',
    size_bytes: null,
    size: '',
    ...over,
  };
}

export function fileWrite(id: string, over: Partial<FileWriteItem> = {}): FileWriteItem {
  return {
    id,
    turn_id: TURN,
    kind: 'file_write',
    path: 'web/page.tsx',
    title: 'Created',
    size_bytes: 4100,
    size: '4.1 kB',
    ...over,
  };
}

export function notice(id: string, over: Partial<Notice> = {}): Notice {
  return {
    id,
    turn_id: TURN,
    kind: 'notice',
    severity: 'info',
    title: '',
    text: '',
    detail: '',
    offers: '',
    target: '',
    ...over,
  };
}

export function turnEnd(over: Partial<TurnEnd> = {}): TurnEnd {
  return {
    id: 'end',
    turn_id: TURN,
    kind: 'turn_end',
    stop_reason: 'end_turn',
    words: '',
    summary: '',
    duration_seconds: null,
    input_tokens: null,
    output_tokens: null,
    ...over,
  };
}

export function permission(over: Partial<Permission> = {}): Permission {
  return {
    request_id: 'r1',
    state: 'pending',
    title: 'Claude wants to run a command',
    reason: 'Run the tests after the change',
    options: [
      { option_id: 'once', name: 'Allow once', option_kind: 'allow_once' },
      { option_id: 'always', name: 'Always allow `npm test`', option_kind: 'allow_always' },
      { option_id: 'no', name: 'Reject', option_kind: 'reject_once' },
    ],
    folder: '',
    details: [],
    cautions: [],
    text_differs: false,
    too_large: false,
    wider_rules: [],
    chosen: '',
    outcome: '',
    without_user: false,
    answered_by: '',
    rule: '',
    asked_at: 0,
    ...over,
  };
}

/** A file that a turn changed. */
export function file(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    change: 'modified',
    old_path: '',
    added: 2,
    removed: 2,
    binary: false,
    size: 10,
    old_mode: null,
    new_mode: null,
    came_from: '',
    kept: true,
    words: '',
    reverted: false,
    reverted_hunks: [],
    kept_hunks: [],
    together: [],
    author: 'agent',
    yours_too: false,
    old_text_id: '',
    new_text_id: '',
    ...over,
  };
}
