"""The timers of this extension that are alive in a page."""

from __future__ import annotations

__all__ = ["COUNT_TIMERS"]

COUNT_TIMERS = """(() => {
  // Who called: after this function, and the one that stands for the timer's.
  const ours = () => new Error().stack.split('\\n')[3].includes('/extensions/acp-jupyter/');
  const live = (window.liveTimers = new Map());
  for (const [set, clear, once] of [
    ['setTimeout', 'clearTimeout', true],
    ['setInterval', 'clearInterval', false],
    ['requestAnimationFrame', 'cancelAnimationFrame', true],
  ]) {
    const [start, stop] = [window[set].bind(window), window[clear].bind(window)];
    window[set] = (work, ...more) => {
      const mine = ours();
      const id = start((...args) => {
        if (once) live.delete(`${set} ${id}`);
        if (typeof work === 'function') work(...args);
      }, ...more);
      if (mine) live.set(`${set} ${id}`, new Error().stack);
      return id;
    };
    window[clear] = id => (live.delete(`${set} ${id}`), stop(id));
  }
})()"""
"""A page's first script: ``liveTimers`` has those that are to run, and who has set them."""
