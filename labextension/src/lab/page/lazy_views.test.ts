import { describe, expect, it, vi } from 'vitest';

import type { Mounted } from '../../views';
import { lazyView } from './lazy_views';

interface Props {
  readonly words: string;
  readonly t?: (text: string) => string;
}

function mount(element: HTMLElement, props: Props): Mounted<Props> {
  const update = (next: Props) => (element.textContent = next.words);
  update(props);
  return { update, dispose: () => (element.textContent = '') };
}

/** The code to load, and a function that completes its loading. */
function loading() {
  let arrive: (loaded: typeof mount) => void = () => undefined;
  const load = vi.fn(() => new Promise<typeof mount>(resolve => (arrive = resolve)));
  return { load, arrive: () => arrive(mount) };
}

describe('a view whose code is loaded when it is needed', () => {
  it('is drawn with the newest properties once the code is here', async () => {
    const { load, arrive } = loading();
    const element = document.createElement('div');
    const view = lazyView(load)(element, { words: 'old' });
    view.update({ words: 'new' });
    expect(element.textContent).toBe('');
    arrive();
    await view.drawn;
    expect(element.textContent).toBe('new');
    view.update({ words: 'newer' });
    expect(element.textContent).toBe('newer');
    view.dispose();
    expect(element.textContent).toBe('');
  });

  it('is not drawn if it was disposed meanwhile', async () => {
    const { load, arrive } = loading();
    const element = document.createElement('div');
    const view = lazyView(load)(element, { words: 'gone' });
    view.dispose();
    arrive();
    await view.drawn;
    expect(element.textContent).toBe('');
  });

  it('is drawn at once from the second on', async () => {
    const { load, arrive } = loading();
    const draw = lazyView(load);
    const first = draw(document.createElement('div'), { words: 'first' });
    arrive();
    await first.drawn;
    const element = document.createElement('div');
    draw(element, { words: 'second' });
    expect(element.textContent).toBe('second');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('says that the code could not be loaded, and tries again with the next', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let broken = true;
    const draw = lazyView<Props>(() =>
      broken ? Promise.reject(new Error('404')) : Promise.resolve(mount),
    );
    const element = document.createElement('div');
    await draw(element, { words: 'never', t: text => text.toUpperCase() }).drawn;
    expect(element.textContent).toBe('THE VIEW COULD NOT BE LOADED. RELOAD THE PAGE.');
    expect(told).toHaveBeenCalledOnce();
    broken = false;
    await draw(element, { words: 'there' }).drawn;
    expect(element.textContent).toBe('there');
    told.mockRestore();
  });
});
