// Put into a page before anything else; notes when text is painted. Times are seconds since the epoch.
(() => {
  const when = (time) => (performance.timeOrigin + time) / 1000;
  const now = () => when(performance.now());
  let armed = null;
  // A live list, whose length costs a walk only after a change.
  const all = document.getElementsByTagName('*');
  // Four times a second: to count costs a walk through the page.
  const counted = (run) => {
    run.most = Math.max(run.most, all.length);
    if (run === armed && run.end <= 0) setTimeout(() => counted(run), 250);
  };
  window.bench = {
    arm: (selector, sampled) => {
      armed = { selector, sampled, end: 0, samples: [], planned: false, tasks: [], scripts: [], most: 0 };
      counted(armed);
    },
    ended: () => armed !== null && armed.end > 0,
    result: () => {
      const { end, samples, tasks, scripts, most } = armed;
      return { end, samples, tasks, scripts, most, elements: all.length };
    },
  };
  // A task queued in a frame runs when that frame was painted.
  const painted = (then) => requestAnimationFrame(() => setTimeout(() => then(now())));
  // Syntax of Markdown is not drawn, letters and digits are.
  const drawn = () => {
    const texts = [...document.querySelectorAll(armed.selector)].map((e) => e.textContent);
    return texts.join('').replace(/[^A-Za-z0-9]+/g, '').length;
  };
  const holdsEnd = (node) => /\bEND\s*$/.test((node.textContent ?? '').slice(-20));
  const sample = () => {
    const run = armed;
    run.planned = true;
    requestAnimationFrame(() => {
      run.planned = false;
      const count = drawn();
      setTimeout(() => run.samples.push([count, now()]));
    });
  };
  new MutationObserver((records) => {
    const run = armed;
    if (run === null) return;
    if (run.sampled && !run.planned) sample();
    if (run.end > 0) return;
    const nodes = records.flatMap((r) => (r.type === 'childList' ? [...r.addedNodes] : [r.target]));
    if (nodes.some((node) => holdsEnd(node))) {
      run.end = -1;
      painted((at) => (run.end = at));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
  new PerformanceObserver((list) => {
    if (armed !== null) armed.tasks.push(...list.getEntries().map((e) => [when(e.startTime), e.duration]));
  }).observe({ type: 'longtask' });
  // Only frames over 50 ms are told of, but by script: what is ours, what is JupyterLab's.
  new PerformanceObserver((list) => {
    if (armed === null) return;
    for (const script of list.getEntries().flatMap((e) => e.scripts)) {
      armed.scripts.push([when(script.startTime), script.duration, script.sourceURL]);
    }
  }).observe({ type: 'long-animation-frame' });
})();
