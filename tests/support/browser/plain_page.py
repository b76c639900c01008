"""A page that has none of Jupyter: it shows a widget as anywidget's hosts do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

import acp_jupyter
from tests.support.kernel.comm import Comm

__all__ = ["show_widget"]

_STATIC = Path(acp_jupyter.__file__).parent / "static"
_ORIGIN = "http://plain.test"

_HOST = """async ({ state, messages, shadow, code, manager }) => {
  const place = document.querySelector('#place');
  const root = shadow ? place.attachShadow({ mode: 'open' }) : place;
  const listeners = [];
  globalThis.sent = [];
  const model = {
    get: name => state[name],
    on: (_event, listener) => listeners.push(listener),
    off: (_event, listener) => listeners.splice(listeners.indexOf(listener) >>> 0, 1),
    send: content => {
      globalThis.sent.push(content);
      if (content.code) [...listeners].forEach(each => each({ code }));
    },
    ...(manager ? { widget_manager: { get_model: async id => {
      if (`IPY_MODEL_${id}` !== state._code_model) throw new Error('not found');
      return { get: name => ({ code })[name] };
    } } } : {}),
  };
  const { default: widget } = await import('/widget.js');
  const { initialize, render } = await widget();
  const ready = initialize({ model });
  for (const message of messages) listeners.forEach(each => each(message));
  await ready;
  // Some hosts draw before the element is in the page, some after.
  const el = document.createElement('div');
  if (shadow) root.append(el);
  globalThis.remove = render({ model, el });
  if (!shadow) root.append(el);
}"""


def show_widget(
    page: Page,
    comm: Comm,
    *,
    head: str = "",
    body: str = "",
    shadow: bool = False,
    manager: bool = True,
) -> None:
    """Open the page, and draw in it the widget with all that its kernel has sent.

    Parameters
    ----------
    page
        A tab.
    comm
        Of the widget; what the page sends is kept in the page's ``sent``.
    head
        More of the page's head, such as styles.
    body
        Attributes of the page's body.
    shadow
        Whether the widget has a shadow root of its own, as in marimo.
    manager
        Whether the page knows the other models of the kernel; else the kernel is asked for the
        widget's code.
    """
    html = (
        "<!doctype html><html lang=en><title>A page</title>"
        f"{head}<body {body}><main><h1>A page</h1><div id=place></div></main></body></html>"
    )

    def answer(route: Route) -> None:
        if route.request.url.endswith("/widget.js"):
            route.fulfill(body=(_STATIC / "widget.js").read_text(), content_type="text/javascript")
        elif route.request.url == f"{_ORIGIN}/":
            route.fulfill(body=html, content_type="text/html")
        else:
            route.fulfill(status=404)

    page.route(f"{_ORIGIN}/**", answer)
    page.goto(f"{_ORIGIN}/")
    messages: list[dict[str, Any]] = [
        {"n": n, "frame": frame} for n, frame in zip(comm.numbers, comm.frames, strict=True)
    ]
    state = json.loads(json.dumps(comm.state, default=str))
    code = (_STATIC / "widget_code.txt").read_text()
    host = {"shadow": shadow, "code": code, "manager": manager}
    page.evaluate(_HOST, {"state": state, "messages": messages, **host})
