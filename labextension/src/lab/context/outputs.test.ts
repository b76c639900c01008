import type { PartialJSONObject } from '@lumino/coreutils';
import { describe, expect, it } from 'vitest';

import { readOutput } from './outputs';

const PNG = 'iVBORw0KGgo=';

function shown(data: PartialJSONObject) {
  return readOutput({ output_type: 'display_data', data, metadata: {} });
}

describe('an output that is asked about', () => {
  it('has the picture that it shows, and names it', () => {
    expect(shown({ 'image/png': `${PNG}\n`, 'text/plain': '<Figure>' })).toEqual({
      text: '[a picture, image/png]\n<Figure>',
      leftOut: 0,
      picture: { data: PNG, mimeType: 'image/png' },
    });
  });

  it('says that its picture is too large', () => {
    expect(shown({ 'image/png': 'A'.repeat(8_000_000) })).toEqual({
      ...{ text: '[a picture, image/png, too large to go along: 6.0 MB]', leftOut: 0 },
      picture: null,
    });
    expect(shown({ 'image/png': 7 })?.text).toBe('[a picture, image/png]');
  });

  it('has the data of a plot', () => {
    const plot = { data: [{ y: [1, 2] }] };
    const data = { 'application/vnd.plotly.v1+json': plot, 'text/html': '<p>' };
    expect(shown(data)?.text).toBe('{"data":[{"y":[1,2]}]}');
    expect(shown({ 'image/svg+xml': ['<svg>', '</svg>'], 'text/plain': '<Figure>' })?.text).toBe(
      '<svg></svg>',
    );
  });

  it('has a table as rows', () => {
    const html =
      '<table><tr><th></th><th>a\n b</th></tr><tr><th>0</th><td>1</td></tr></table>' +
      '<p>900 rows × 1 columns</p>';
    expect(shown({ 'text/html': html, 'text/plain': '…' })?.text).toBe(
      '|  | a b |\n| 0 | 1 |\n\n900 rows × 1 columns',
    );
  });

  it('has its text, without colours and cut with a word', () => {
    const text = `\u001b[31mfirst\u001b[0m ${'x'.repeat(100_000)} last`;
    const read = readOutput({ output_type: 'stream', name: 'stdout', text });
    expect(read?.text).toMatch(/^first x/);
    expect(read?.text).toMatch(/\[… 40,?\d{3} characters left out …\]/);
    expect((read?.text.length ?? 0) + (read?.leftOut ?? 0)).toBe('first '.length + 100_000 + 5);
    expect(shown({ 'text/html': '<script>x</script><b>bold</b>' })?.text).toBe('bold');
  });

  it('is nothing where no agent could read it', () => {
    expect(shown({ 'application/vnd.jupyter.widget-view+json': { model_id: 'x' } })).toBe(null);
    expect(shown({ 'text/plain': [] })).toBe(null);
    expect(readOutput({ output_type: 'display_data', data: 'odd' })).toBe(null);
  });
});
