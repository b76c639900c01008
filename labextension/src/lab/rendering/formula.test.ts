import { describe, expect, it, vi } from 'vitest';

import { typeset } from './formula';

/** Replaces the source by a typesetter's result. */
function typesetter(html: string) {
  return {
    typeset: vi.fn((place: HTMLElement) => {
      place.innerHTML = html;
    }),
  };
}

describe('typesetting', () => {
  it.each([
    '$\\href{javascript:alert(1)}{x}$',
    '$\\style{position:fixed}{x}$',
    '\\(\\class{acp-perm}{x}\\)',
    '$$\\def\\int{x}\\int$$',
    '$\\let\\x=\\y$',
    '$\\require{html}x$',
    '$\\mmlToken{mi}[onclick="x"]{y}$',
    'no delimiters',
    `$${'x'.repeat(5_000)}$`,
  ])('refuses %s', async source => {
    const jax = typesetter('<mjx-container></mjx-container>');
    expect(await typeset(jax, source)).toBeNull();
    expect(jax.typeset).not.toHaveBeenCalled();
  });

  it('takes off what could act, load or imitate', async () => {
    const jax = typesetter(
      '<mjx-container class="MathJax" jax="CHTML" onclick="x()" style="font-size: 120%; position: fixed; background-image: url(https://hostile.invalid/)">' +
        '<mjx-math class="MJX-TEX"><mjx-mi class="acp-perm" href="javascript:x()" id="x" style="padding-top: 0.1em">' +
        '<mjx-c class="mjx-c1D465 TEX-I"></mjx-c></mjx-mi></mjx-math></mjx-container>',
    );
    const made = await typeset(jax, '$x$');
    expect(made?.outerHTML.replace(/;"/g, '"')).toBe(
      '<mjx-container class="MathJax" jax="CHTML" style="font-size: 120%">' +
        '<mjx-math class="MJX-TEX"><mjx-mi style="padding-top: 0.1em">' +
        '<mjx-c class="mjx-c1D465 TEX-I"></mjx-c></mjx-mi></mjx-math></mjx-container>',
    );
  });

  it.each([
    '<mjx-container><img src="x"></mjx-container>',
    '<mjx-container><a href="https://hostile.invalid/">x</a></mjx-container>',
    '<mjx-container><mjx-merror>Undefined</mjx-merror></mjx-container>',
    '<mjx-container></mjx-container> and more text',
    '<b>bold</b>',
    '$x$',
  ])('keeps the source for %s', async html => {
    expect(await typeset(typesetter(html), '$x$')).toBeNull();
  });
});
