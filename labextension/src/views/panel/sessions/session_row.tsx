import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { IMPORTED } from '../../../state/session_view';
import type { SessionSummary } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Additions } from '../../additions';
import { age } from '../../i18n';
import type { Translate } from '../../i18n';
import { messageOf } from '../../parts/buttons';
import type { IconName } from '../../parts/icon_drawings';
import { Icon } from '../../parts/icons';
import { Menu } from '../../parts/menu';
import type { MenuItem } from '../../parts/menu';
import { TitleText } from '../../parts/odd_characters';
import { useAllAdditions, useScene } from '../../scene';
import type { Scene } from '../../scene';
import { useRowFocus } from './row_focus';
import { DeletedRow } from './trash';
import type { Trash } from './trash';

export interface SessionRowProps {
  readonly session: SessionSummary;
  readonly now: number;
  readonly on: boolean;
  readonly actions: Actions;
  readonly trash: Trash;
  readonly t: Translate;
  readonly onOpen: (sessionId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** A session in the list: a click opens it, a menu has all other actions. */
export function SessionRow(props: SessionRowProps) {
  const { session, on, trash, t, onOpen } = props;
  const [renaming, setRenaming] = useState(false);
  const { announce, actions } = useScene();
  const additions = useAllAdditions(actions);
  const row = useRef<HTMLLIElement>(null);
  useRowFocus(row);
  const { session_id: id } = session;
  const name = session.title || t('New session');
  if (trash.holds(id)) {
    return <DeletedRow name={name} onUndo={() => trash.takeBack(id)} />;
  }
  if (renaming) {
    return (
      <li class="acp-renaming">
        <Rename {...props} name={session.title} onDone={() => setRenaming(false)} />
      </li>
    );
  }
  const items = itemsOf(props, () => setRenaming(true), { announce, additions });
  return (
    <li class={on ? 'on' : undefined} data-session={id} ref={row}>
      <button
        type="button"
        class="s"
        aria-current={on ? 'true' : undefined}
        onClick={() => onOpen(id)}
      >
        <Mark session={session} />
        <span class="t cut" dir="auto">
          <TitleText text={name} />
        </span>
        <span class="sub">
          <span class="cut" title={session.read_only === '' ? undefined : session.read_only}>
            <Facts session={session} now={props.now} t={t} />
          </span>
        </span>
      </button>
      {items.length > 0 && (
        <Menu label={t('More for %1', name)} items={items}>
          <Icon name="more" />
        </Menu>
      )}
    </li>
  );
}

/** The menu of a session, with the actions that are possible. */
function itemsOf(
  { session, actions, trash, t, onOpen, onFailure }: SessionRowProps,
  onRename: () => void,
  { announce, additions }: Pick<Scene, 'announce'> & { readonly additions: Additions },
): MenuItem[] {
  const { session_id: id, read_only: readOnly, agent_id: agent } = session;
  const { life, exportSession } = actions;
  const ended = session.stored || session.status === 'stopped';
  const own = readOnly === '';
  const run = (work: Promise<void>) => {
    work.catch((error: unknown) => onFailure(messageOf(error)));
  };
  const items: MenuItem[] = [];
  // Other agents would start without the history, as sending a message does.
  const takesUp = session.can.includes('resume') || session.can.includes('load');
  if (life !== undefined && own && ended && takesUp && agent !== IMPORTED) {
    const resume = async () => {
      onOpen(id);
      await life.run({ name: 'resume_session', session_id: id });
    };
    items.push({ name: t('Resume'), onChoose: () => run(resume()) });
  }
  if (actions.setConfig !== undefined && own) {
    items.push({ name: t('Rename'), onChoose: onRename });
  }
  if (life !== undefined && own && session.can.includes('fork')) {
    const fork = async () => onOpen(await life.fork(id));
    items.push({ name: t('Fork'), onChoose: () => run(fork()) });
  }
  items.push(...additions.itemsOf({ sessionId: id, where: 'list', t, onFailure }));
  if (exportSession !== undefined) {
    items.push(
      { name: t('Export as Markdown'), onChoose: () => run(exportSession(id, 'markdown')) },
      { name: t('Export as HTML'), onChoose: () => run(exportSession(id, 'html')) },
      { name: t('Export the traffic'), onChoose: () => run(exportSession(id, 'traffic')) },
    );
  }
  if (actions.closeSession !== undefined && own && !ended) {
    const close = async () => actions.closeSession?.(id);
    items.push({ name: t('Close'), onChoose: () => run(close()) });
  }
  if (life !== undefined && own) {
    const { archived } = session;
    const title = session.title || t('New session');
    const archive = async () => {
      const trouble = await life.archive(id, !archived);
      announce(
        t(archived ? '%1 was taken out of the archive.' : '%1 was archived.', title),
        'polite',
      );
      if (trouble !== '') {
        onFailure(trouble);
      }
    };
    const name = archived ? t('Unarchive') : t('Archive');
    items.push({ name, onChoose: () => run(archive()) });
    items.push({ name: t('Delete'), danger: true, onChoose: () => trash.put(id) });
  }
  return items;
}

interface RenameProps extends SessionRowProps {
  readonly name: string;
  readonly onDone: () => void;
}

function Rename({ session, actions, t, name, onDone, onFailure }: RenameProps) {
  const [title, setTitle] = useState(name);
  const box = useRef<HTMLInputElement>(null);
  // Before anything else is typed.
  useLayoutEffect(() => box.current?.select(), []);
  const save = () => {
    onDone();
    const next = title.trim();
    if (next !== '' && next !== name) {
      actions.setConfig?.(session.session_id, { title: next }).catch((error: unknown) => {
        onFailure(messageOf(error));
      });
    }
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
    >
      <input
        type="text"
        dir="auto"
        aria-label={t('Title')}
        maxLength={200}
        value={title}
        ref={box}
        onInput={event => setTitle(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onDone();
          }
        }}
      />
      <button type="submit" class="btn small">
        {t('Rename')}
      </button>
      <button type="button" class="btn quiet small" onClick={onDone}>
        {t('Cancel')}
      </button>
    </form>
  );
}

/** The icon of a session's state. */
export function Mark({ session }: { readonly session: SessionSummary }) {
  if (session.read_only !== '') {
    return <Icon name="lock" />;
  }
  if (session.stored) {
    return <Icon name="history" />;
  }
  if (session.status === 'running' || session.status === 'starting') {
    return <span class="spin" aria-hidden="true" />;
  }
  const icon: IconName = session.waiting > 0 ? 'warning' : MARKS[session.status];
  return <Icon name={icon} class={session.waiting > 0 ? 'warn' : ''} />;
}

const MARKS = { idle: 'keep', requires_action: 'warning', stopped: 'pending' } as const;

/** `state · agent · notebook · age`. */
export function Facts({ session, now, t }: Pick<SessionRowProps, 'session' | 'now' | 't'>) {
  const notebook = session.notebook_path.slice(session.notebook_path.lastIndexOf('/') + 1);
  const old = session.updated_at === null ? '' : age(Math.max(0, now - session.updated_at), t);
  const branch =
    session.continues_in !== ''
      ? t('went back from here')
      : session.branched_from === ''
        ? ''
        : t('branched off an earlier turn');
  const rest = [branch, session.agent_name, notebook, old].filter(fact => fact !== '');
  return (
    <>
      <span class={session.waiting > 0 ? 'warn' : undefined}>{t(stateOf(session))}</span>
      {rest.map(fact => ` · ${fact}`).join('')}
    </>
  );
}

function stateOf(session: SessionSummary): string {
  if (session.read_only !== '') {
    return 'Open in another server · read only';
  }
  if (session.agent_id === IMPORTED) {
    return 'Imported';
  }
  if (session.waiting > 0) {
    return 'Waiting for your answer';
  }
  if (session.status === 'idle' && session.title === '' && !session.stored) {
    return 'New';
  }
  return session.stored ? 'Ended' : STATES[session.status];
}

const STATES: Record<SessionSummary['status'], string> = {
  starting: 'Starting',
  idle: 'Done',
  running: 'Running',
  requires_action: 'Waiting for your answer',
  stopped: 'Ended',
};
