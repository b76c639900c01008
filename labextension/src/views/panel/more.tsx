import type { SessionState } from '../../wire/types';
import { messageOf } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Menu, type MenuItem } from './menu';
import { rulesId } from './rules';

interface MoreMenuProps {
  readonly session: SessionState;
  readonly onTraffic: (() => void) | null;
  readonly onFailure: (message: string) => void;
}

/** What is seldom wanted of a session. */
export function MoreMenu({ session, onTraffic, onFailure }: MoreMenuProps) {
  const { store, actions, t } = useScene();
  const items: MenuItem[] = [];
  if (actions?.listRules !== undefined) {
    const show = () => store.ui.setOpen(rulesId(session), true);
    items.push({ name: t('Permission rules'), onChoose: show });
  }
  if (onTraffic !== null) {
    items.push({ name: t('Traffic'), onChoose: onTraffic });
  }
  const write = actions?.exportSession;
  if (write !== undefined) {
    const run = (format: 'markdown' | 'html') => {
      write(session.session_id, format).catch((error: unknown) => onFailure(messageOf(error)));
    };
    items.push(
      { name: t('Export as Markdown'), onChoose: () => run('markdown') },
      { name: t('Export as HTML'), onChoose: () => run('html') },
    );
  }
  return items.length === 0 ? null : (
    <Menu label={t('More')} items={items}>
      <Icon name="more" />
    </Menu>
  );
}
