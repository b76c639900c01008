"""Scripts in outputs of a trusted notebook, which try to answer a request for its reader."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace

ASK = "%%acp demo --background\nedit clean.py rate=0"

COMMON = """
const config = JSON.parse(document.getElementById('jupyter-config-data').textContent);
const api = new URL('acp-jupyter/api/', new URL(config.baseUrl, location.href));
const xsrf = document.cookie.split('; ').find(each => each.startsWith('_xsrf=')).slice(6);
const card = [...document.querySelectorAll('.acp-perm')].at(-1);
const view = card.closest('.acp');
const requestId = card.dataset.request;
const option = '%(option)s';
const sessionId = '%(session)s';
const route = new URL(`sessions/${sessionId}/permissions/${requestId}`, api);
const answer = {option_id: option};
const command = {name: 'answer_permission', session_id: sessionId, request_id: requestId,
  option_id: option, outcome: null, remember: null, wider_rule: '', reason: ''};
const post = (url, headers) => fetch(url, {method: 'POST', body: JSON.stringify(answer),
  headers: {'Content-Type': 'application/json', 'X-XSRFToken': xsrf, ...headers}})
  .then(answered => answered.status);
const stream = key => new Promise((resolve, reject) => {
  const url = new URL('stream', api);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url);
  socket.onerror = reject;
  socket.onmessage = ({data}) => {
    const frame = JSON.parse(data);
    if (frame.type === 'hello') {
      socket.send(JSON.stringify({type: 'proof', key}));
      socket.send(JSON.stringify({type: 'command', id: 1, command}));
    } else if (frame.type === 'reply') {
      socket.close();
      resolve(frame.error === null ? 'answered' : frame.error.reason);
    }
  };
});
const keyIn = text => new DOMParser().parseFromString(text, 'text/html')
  .getElementById('jupyter-config-data');
const keyOf = element => JSON.parse(element.textContent).acpPageKey;
const lab = new URL('lab', new URL(config.baseUrl, location.href));
"""

WAYS = {
    "a click": "card.querySelector('[data-option=\"1\"]').click(); return 'clicked';",
    "a click event": """
card.querySelector('[data-option="1"]').dispatchEvent(
  new MouseEvent('click', {bubbles: true, cancelable: true, composed: true, view: window}));
return 'clicked';""",
    "keys": """
card.focus();
for (const key of ['1', 'y', 'Enter']) {
  for (const at of [card, card.querySelector('[data-option="1"]')]) {
    at.dispatchEvent(new KeyboardEvent('keydown',
      {key, keyCode: key.toUpperCase().charCodeAt(0), bubbles: true, cancelable: true}));
  }
}
return 'pressed';""",
    "the route, with the cookie": "return post(route);",
    "the route, with the token of the page": """
return post(route, {Authorization: `token ${config.token || 'none'}`});""",
    "a beacon": "return navigator.sendBeacon(`${route}?_xsrf=${xsrf}`, JSON.stringify(answer));",
    "the policy, by its route": """
return fetch(new URL(`sessions/${sessionId}/config`, api), {method: 'POST',
  body: '{"policy": "allow-all"}', headers: {'X-XSRFToken': xsrf}})
  .then(answered => answered.status);""",
    "a socket of its own": "return stream('');",
    "a socket, with the key in the page": "return stream(config.acpPageKey);",
    "a socket, with the key of a page that was fetched": """
return fetch(lab).then(page => page.text()).then(text => stream(keyOf(keyIn(text))));""",
    "a socket, with the key of the page in the cache": """
return fetch(location.href, {cache: 'force-cache'}).then(page => page.text())
  .then(text => stream(keyOf(keyIn(text))));""",
    "a socket, with the key of a frame": """
const frame = document.createElement('iframe');
frame.src = `${lab}?reset`;
const loaded = new Promise(resolve => {
  const look = () => {
    const found = frame.contentDocument?.getElementById('jupyter-config-data');
    if (found) { resolve(keyOf(found)); } else { requestAnimationFrame(look); }
  };
  look();
});
document.body.append(frame);
return loaded.then(key => { frame.remove(); return stream(key); });""",
    "the page's client": """
const shared = window[Symbol.for('acp-jupyter')];
const inside = shared.open({get: () => '', on() {}, off() {}, send() {}, set() {},
  save_changes() {}});
return [shared, inside].flatMap(Object.keys).join(' ');""",
    "the page's socket": """
let found = 'nothing';
const take = thing => { if (thing instanceof EventTarget || thing?.target) {
  found = 'the socket'; } };
for (const name of ['send', 'close']) {
  const was = WebSocket.prototype[name];
  WebSocket.prototype[name] = function (...given) {
    if (this.url.includes('/acp-jupyter/')) { take(this); }
    return was.apply(this, given);
  };
}
const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
Object.defineProperty(MessageEvent.prototype, 'data', {...data, get() {
  if (this.target.url?.includes('/acp-jupyter/')) { take(this.target); }
  return data.get.call(this);
}});
// The page acknowledges what it draws, so something goes each way.
await fetch(new URL(`sessions/${sessionId}/config`, api), {method: 'POST',
  body: '{"title": "Another name"}', headers: {'X-XSRFToken': xsrf}});
const until = performance.now() + 3000;
while (performance.now() < until) {
  await new Promise(resolve => requestAnimationFrame(resolve));
  if (document.body.textContent.includes('Another name')) { break; }
}
return found;""",
}

OUTCOMES = {
    "a click": "clicked",
    "a click event": "clicked",
    "keys": "pressed",
    "the route, with the cookie": 403,
    "the route, with the token of the page": 403,
    "a beacon": True,
    "the policy, by its route": 403,
    "a socket of its own": "not_allowed",
    "a socket, with the key in the page": "not_allowed",
    "a socket, with the key of a page that was fetched": "not_allowed",
    "a socket, with the key of the page in the cache": "not_allowed",
    "a socket, with the key of a frame": "not_allowed",
    "the page's client": "apiVersion open draw shown close",
    "the page's socket": "nothing",
}


def output_of(code: str) -> str:
    """Return a cell that shows an output with a script, which writes how it went."""
    script = (
        "const place = element.append ? element : element[0];"
        f"(async () => {{ {COMMON} {code} }})()"
        ".then(said => place.append('It said ' + JSON.stringify(said) + '.'),"
        " failed => place.append('It failed: ' + failed));"
    )
    return f"from IPython.display import Javascript\nJavascript({script!r})"


def test_no_output_answers(lab: LabPage, workspace: Workspace, server: JupyterServer) -> None:
    nb = lab.open(workspace.notebook("%load_ext acp_jupyter", ASK, "pass"))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    nb.wait_for_end(1)
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        turn_id = user.newest_turn(session_id)
        options = user.permission(turn_id)["options"]
        allow = next(o["option_id"] for o in options if o["option_kind"] == "allow_once")
        for way, outcome in OUTCOMES.items():
            nb.set_source(2, output_of(WAYS[way]) % {"session": session_id, "option": allow})
            nb.run_to_end(2)
            expect(nb.output(2), way).to_contain_text(f"It said {json.dumps(outcome)}.")
            asked = [each["state"] for each in user.permissions(user.turn(turn_id))]
            assert asked == ["pending"], way
            assert user.get(f"sessions/{session_id}")["policy"] == "ask", way
    assert workspace.clean_py == CLEAN_PY
    turn.answer("Allow once")
    expect(turn.root).to_contain_text("by a list comprehension")
    assert workspace.clean_py != CLEAN_PY
