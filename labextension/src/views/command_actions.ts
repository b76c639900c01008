import type { PageCommand, Run } from '../wire/results';
import type { Actions, SessionLife } from './actions';

/** The actions that are each a command, for a view in any page. */
export function commandActions(run: Run) {
  const act = async (command: PageCommand) => {
    await run(command);
  };
  return {
    answerPermission: (session_id, request_id, option_id, more?) =>
      act({
        ...{ name: 'answer_permission', session_id, request_id, option_id, ...more },
        outcome: option_id === null ? 'cancelled' : null,
      }),
    trustFolder: (session_id, request_id, trust) =>
      act({ name: 'trust_folder', session_id, request_id, trust }),
    answerElicitation: (session_id, request_id, answer) =>
      act({ ...answer, name: 'answer_elicitation', session_id, request_id }),
    cancel: (session_id, turn_id) => act({ name: 'cancel', session_id, turn_id }),
    removeQueued: (session_id, turn_id) => act({ name: 'cancel', session_id, turn_id }),
    editQueued: (turn_id, prompt) => act({ name: 'edit_queued', turn_id, prompt }),
    sendNow: turn_id => act({ name: 'send_now', turn_id }),
    steer: turn_id => act({ name: 'steer', turn_id }),
    setConfig: (session_id, change) => act({ ...change, name: 'set_config', session_id }),
    killTerminal: (session_id, terminal_id) =>
      act({ name: 'kill_terminal', session_id, terminal_id }),
    cancelToolCall: (session_id, tool_call_id) =>
      act({ name: 'cancel_tool_call', session_id, tool_call_id }),
    runOutside: (session_id, tool_call_id) =>
      act({ name: 'run_outside', session_id, tool_call_id }),
    getChanges: async (turn_id, path, earlier = []) => {
      const { files } = await run({ name: 'get_changes', turn_id, path, earlier: [...earlier] });
      return files[0] ?? null;
    },
    revertTurn: (turn_id, { paths, hunks, authors = ['agent'], undo = false, earlier = [] }) =>
      act({
        ...{ name: 'revert_turn', turn_id, undo, authors: [...authors], earlier: [...earlier] },
        paths: paths === undefined ? null : [...paths],
        hunks: hunks === undefined ? [] : [hunks],
      }),
  } satisfies Partial<Actions>;
}

/** The actions of the side panel that are each a command. */
export function panelCommands(run: Run) {
  const act = async (command: PageCommand) => {
    await run(command);
  };
  return {
    closeSession: session_id => act({ name: 'close_session', session_id }),
    listRules: session_id => run({ name: 'list_rules', session_id }),
    revokeRule: rule_id => act({ name: 'revoke_rule', rule_id }),
    usage: session_id => run({ name: 'get_usage', session_id }),
    search: (text, cursor) => run({ name: 'search_sessions', text, cursor }),
    login: (session_id, method_id) => run({ name: 'login', session_id, method_id }),
    cancelLogin: session_id => act({ name: 'cancel_login', session_id }),
    allowDownload: (agent, shown, command) =>
      act({ name: 'allow_download', agent, package: shown, run: command }),
    registry: () => run({ name: 'get_registry' }),
    updateRegistry: () => run({ name: 'update_registry' }),
    life: {
      run: act,
      fork: async session_id => (await run({ name: 'fork_session', session_id })).session_id,
      archive: async (session_id, archived) => {
        const name = archived ? 'archive_session' : 'unarchive_session';
        return (await run({ name, session_id })).message;
      },
      listOfAgent: (agent, cursor, archived) =>
        run({ name: 'list_agent_sessions', agent, cursor, archived }),
      openOfAgent: async (agent, { agent_session_id, title, cwd }, trust) => {
        const where = cwd === '' ? null : cwd;
        const opened = await run({
          ...{ name: 'open_agent_session', agent, agent_session_id, title, cwd: where, trust },
        });
        return opened.session_id;
      },
    } satisfies SessionLife,
  } satisfies Partial<Actions>;
}
