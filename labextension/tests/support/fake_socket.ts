import { Client } from '../../src/delivery/client';
import { PageTransport } from '../../src/delivery/transport';
import type {
  ClientFrame,
  Event,
  Permission,
  ServerFrame,
  SessionState,
  Snapshot,
  ToolCall,
  TurnState,
} from '../../src/wire/types';
import { edit } from './build';

/** The far end of a page's WebSocket, worked by hand. */
export class FakeSocket extends EventTarget implements WebSocket {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readonly extensions = '';
  readonly protocol = '';
  readonly bufferedAmount = 0;
  binaryType: BinaryType = 'blob';
  readyState: 0 | 1 | 2 | 3 = 0;
  onopen = null;
  onerror = null;
  onclose = null;
  onmessage = null;
  readonly sent: ClientFrame[] = [];

  constructor(readonly url: string) {
    super();
  }

  send(data: string): void {
    this.sent.push(parse(data));
  }

  close(): void {
    if (this.readyState !== 3) {
      this.readyState = 3;
      this.dispatchEvent(new CloseEvent('close'));
    }
  }

  receive(frame: ServerFrame): void {
    this.readyState = 1;
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  hello(sessions: Extract<ServerFrame, { type: 'hello' }>['sessions'] = [], api_version = 1): void {
    this.receive({ type: 'hello', api_version, version: '9.9', epoch: 'e1', user: '', sessions });
  }

  events(session_id: string, ...events: Event[]): void {
    this.receive({ type: 'events', session_id, events });
  }

  /** Frames of one type, as they were sent. */
  of<Type extends ClientFrame['type']>(type: Type): Extract<ClientFrame, { type: Type }>[] {
    return this.sent.filter(
      (frame): frame is Extract<ClientFrame, { type: Type }> => frame.type === type,
    );
  }
}

function parse(data: string): ClientFrame {
  const read: (text: string) => ClientFrame = JSON.parse;
  return read(data);
}

/** A client with its sockets, and the status that HTTP answers with. */
export function makeClient(status = 200): { client: Client; sockets: FakeSocket[] } {
  const sockets: FakeSocket[] = [];
  const client = new Client(
    new PageTransport({
      openSocket: path => {
        const socket = new FakeSocket(path);
        sockets.push(socket);
        return socket;
      },
      get: () => Promise.resolve(new Response('{}', { status })),
    }),
  );
  return { client, sockets };
}

export function session(session_id: string, change: Partial<SessionState> = {}): SessionState {
  return {
    session_id,
    title: '',
    agent: 'demo',
    agent_info: { id: 'demo', name: 'Demo', version: '' },
    cwd: '/w',
    folder: '~/w',
    status: 'idle',
    policy: 'ask',
    policy_user: '',
    sandbox: 'off',
    network: 'all',
    walls: null,
    active_turn_id: null,
    queue: [],
    waiting: 0,
    background: 0,
    named: false,
    notebook_path: '',
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
    rules: [],
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
    created_at: null,
    updated_at: null,
    ...change,
  };
}

export function snapshot(session_id: string, seq: number, text = ''): Snapshot {
  return {
    kind: 'snapshot',
    session_id,
    seq,
    epoch: 'e1',
    session: session(session_id),
    turns: [],
    items: [{ kind: 'agent_message', id: 'm1', turn_id: 't1', parent_id: '', text, open: true }],
    first_index: 0,
    total: 1,
  };
}

export function appended(session_id: string, seq: number, offset: number, text: string): Event {
  return { kind: 'text_appended', session_id, seq, item_id: 'm1', field: 'text', offset, text };
}

export function turnState(turn_id: string, status: TurnState['status']): TurnState {
  return {
    turn_id,
    session_id: 'a',
    status,
    stop_reason: '',
    words: '',
    prompt: '',
    policy: 'ask',
    sandbox: 'off',
    user: '',
    rules: [],
    origin: null,
    copy_of: null,
    queued_at: 1,
    started_at: 1,
    ended_at: null,
    failure: null,
    tokens: null,
    input_tokens: null,
    output_tokens: null,
    changes: null,
    changes_unknown: '',
    variant: 0,
    in_copy: false,
  };
}

export function toolCall(id: string, turn_id: string, permission: Permission | null): ToolCall {
  return edit(id, { turn_id, permission, status: 'pending', diffs: [], ended_at: null });
}
