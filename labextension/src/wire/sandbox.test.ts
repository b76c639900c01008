import { describe, expect, it } from 'vitest';

import { chosenSandbox, sandboxesOf, sandboxOf, sandboxOfPolicy } from './sandbox';

describe('sandboxes', () => {
  it('are all of them where the server names none', () => {
    expect(sandboxesOf('')).toEqual(['off', 'folder', 'copy', 'read-only']);
    expect(sandboxesOf('nonsense')).toEqual(sandboxesOf(''));
    expect(sandboxesOf('read-only,folder')).toEqual(['folder', 'read-only']);
  });

  it('are left to the server where a setting names none that is allowed', () => {
    expect(chosenSandbox('folder', ['off', 'folder'])).toBe('folder');
    expect(chosenSandbox('off', ['folder'])).toBeNull();
    expect(chosenSandbox('default', ['off', 'folder'])).toBeNull();
  });

  it('are brought by the policies under which nothing may be changed', () => {
    expect(['read-only', 'deny'].map(policy => sandboxOfPolicy(policy as 'deny'))).toEqual([
      'read-only',
      'read-only',
    ]);
    expect(sandboxOfPolicy('ask')).toBeNull();
    expect(sandboxOfPolicy('allow-all')).toBeNull();
  });

  it('are read from foreign notebooks, too', () => {
    expect(sandboxOf('folder')).toBe('folder');
    expect(sandboxOf('nonsense')).toBe('off');
    expect(sandboxOf(7)).toBe('off');
  });
});
