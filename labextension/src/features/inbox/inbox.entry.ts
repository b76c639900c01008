import { Client } from '../../delivery/client';
import { pageBaseUrl, takePageKey } from '../../delivery/page_key';
import { cookieAccess, PageTransport } from '../../delivery/transport';
import { applyPageStyle } from '../../widget/page_style';
import { groupsOf } from './groups';
import { Inbox } from './inbox';
import { mountInbox } from './inbox_view';
import page from './page.css';
import styles from './style.css';
import { renewAfterSleep } from './sleep';

const PREFIX = '#session=';

/** The inbox as a page of its own: the address names the session that is shown. */
function openInbox(main: HTMLElement, base: URL): void {
  const sheet = new CSSStyleSheet();
  applyPageStyle(main);
  sheet.replaceSync(styles + page);
  document.adoptedStyleSheets.push(sheet);
  const client = new Client(new PageTransport(cookieAccess(base), takePageKey()));
  const inbox = new Inbox(client, () => draw());
  const props = () => ({ ...inbox.props, open });
  const view = mountInbox(main, props());
  const draw = () => {
    const { waiting } = groupsOf(client.sessions ?? []);
    const count = waiting.reduce((sum, session) => sum + session.waiting, 0);
    document.title = count === 0 ? 'Inbox' : `(${count}) Inbox`;
    view.update(props());
  };
  const look = () => {
    const { hash } = location;
    inbox.open(hash.startsWith(PREFIX) ? decodeURIComponent(hash.slice(PREFIX.length)) : '');
  };
  window.addEventListener('hashchange', look);
  look();
  renewAfterSleep(client, document, window);
}

function open(sessionId: string): void {
  location.hash = sessionId === '' ? '' : PREFIX + encodeURIComponent(sessionId);
}

const main = document.querySelector('main');
const base = pageBaseUrl();
if (main !== null && base !== null) {
  openInbox(main, base);
}
