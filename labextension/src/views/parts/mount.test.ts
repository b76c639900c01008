import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { keepFocus } from './mount';

let view: HTMLElement;

let stop: () => void;

beforeEach(() => {
  view = document.createElement('div');
  document.body.append(view);
  stop = keepFocus(view);
});

afterEach(() => {
  stop();
  document.body.replaceChildren();
});

/** Focuses the button with this text. */
function focus(words: string): HTMLElement {
  const button = [...view.querySelectorAll('button')].find(each => each.textContent === words);
  button?.focus();
  if (button === undefined || document.activeElement !== button) {
    throw new Error(`${words} has not got the focus.`);
  }
  return button;
}

const focused = () => document.activeElement?.textContent;

/** Observers and what waits for them have run. */
const settled = () => new Promise(resolve => setTimeout(resolve, 5));

describe('the focus of a view', () => {
  it('goes to what took the place of a button', async () => {
    view.innerHTML =
      '<button>line</button><span><button>Keep</button><button>Revert</button></span>' +
      '<button>next</button>';
    focus('Revert').parentElement?.replaceChildren(button('Undo'));
    await settled();
    expect(focused()).toBe('Undo');
  });

  it('goes to what stood behind, else before it', async () => {
    view.innerHTML = '<ul><li><button>1</button></li><li><button>2</button></li></ul>';
    focus('1').parentElement?.remove();
    await settled();
    expect(focused()).toBe('2');
    view.querySelector('ul')?.before(button('before'));
    focus('2').parentElement?.remove();
    await settled();
    expect(focused()).toBe('before');
  });

  it('goes to the card whose buttons wait, and past what is disabled', async () => {
    view.innerHTML = '<div tabindex="-1" id="card"><button>Allow</button><button>No</button></div>';
    const allow = focus('Allow');
    view.querySelectorAll('button').forEach(each => each.setAttribute('disabled', ''));
    allow.blur();
    await settled();
    expect(document.activeElement?.id).toBe('card');
    view.innerHTML = '<button>Earlier</button><button>Later</button>';
    focus('Later').setAttribute('disabled', '');
    await settled();
    expect(focused()).toBe('Earlier');
  });

  it('goes to the log where a part of it is not mounted any more', async () => {
    view.innerHTML =
      '<div class="acp-log" tabindex="0"><div><section><button>a</button></section>' +
      '<section><button>b</button></section></div></div>';
    focus('a').parentElement?.remove();
    await settled();
    expect(document.activeElement?.className).toBe('acp-log');
  });

  it('goes past what is disabled in a shadow root, too', async () => {
    const host = document.createElement('div');
    document.body.append(host);
    const root = host.attachShadow({ mode: 'open' });
    root.append(view);
    view.innerHTML = '<button>Earlier</button><button id="later">Later</button>';
    const later = root.querySelector<HTMLElement>('#later');
    later?.focus();
    later?.setAttribute('disabled', '');
    await settled();
    expect(root.activeElement?.textContent).toBe('Earlier');
  });

  it('is not taken from anybody', async () => {
    view.innerHTML = '<button>a</button><button>b</button>';
    const elsewhere = button('elsewhere');
    document.body.append(elsewhere);
    const gone = focus('a');
    gone.remove();
    elsewhere.focus();
    await settled();
    expect(document.activeElement).toBe(elsewhere);
    // The focus left before the element was removed.
    focus('b').blur();
    await settled();
    view.replaceChildren(button('c'));
    await settled();
    expect(document.activeElement).toBe(document.body);
  });
});

function button(words: string): HTMLElement {
  const element = document.createElement('button');
  element.textContent = words;
  return element;
}
