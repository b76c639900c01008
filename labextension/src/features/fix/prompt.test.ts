import { afterEach, describe, expect, it, vi } from 'vitest';

import { fixPrompt } from './prompt';

const MARK = 'whose id is `c1` and whose fingerprint is `d673d00a974a14dd`.';

const SOURCE = '# the mean  \nmean = sum(prices) / len(price)\n\nmean\n';

afterEach(() => vi.unstubAllGlobals());

describe('the prompt for a fix', () => {
  it('says all that edit_cell takes, so that nothing need be read before', async () => {
    const prompt = await fixPrompt('c1', SOURCE, 'NameError', 'python');
    expect(prompt).toContain(MARK);
    expect(prompt).toContain('You need not read the cell first');
    expect(prompt).toContain(SOURCE);
    expect(prompt).toMatch(/Only if .* do not tell why: the tool last_error/);
    expect(await fixPrompt('c1', SOURCE, 'Error', 'julia')).not.toContain('last_error');
  });

  it('leaves the fingerprint out of a cell that is cut, and without TLS', async () => {
    const long = await fixPrompt('c1', 'x'.repeat(30_000), 'NameError', 'python');
    vi.stubGlobal('crypto', {});
    const plain = await fixPrompt('c1', SOURCE, 'NameError', 'python');
    for (const prompt of [long, plain]) {
      expect(prompt).toContain('whose id is `c1`.');
      expect(prompt).not.toContain('need not read');
    }
  });
});
