/** Work for the next frame; returns whether more is left for the one after. */
export type FrameWork = () => boolean;

const due = new Set<FrameWork>();

/** The part of this work that goes on in a hidden page, which has no frames. */
const dueHidden = new Set<FrameWork>();

let requested = false;

let timer: number | undefined;

document.addEventListener('visibilitychange', request);

/** Runs work once in the next animation frame, however often it is requested. */
export function inNextFrame(work: FrameWork): void {
  due.add(work);
  request();
}

/**
 * The same for work that measures nothing, which a hidden page does, too, so that it is up to date.
 */
export function inNextFrameOrHidden(work: FrameWork): void {
  dueHidden.add(work);
  inNextFrame(work);
}

export function cancelFrame(work: FrameWork): void {
  due.delete(work);
  dueHidden.delete(work);
}

function request(): void {
  if (!requested && due.size > 0) {
    requested = true;
    requestAnimationFrame(() => {
      requested = false;
      run(due);
    });
  }
  if (document.hidden && timer === undefined && dueHidden.size > 0) {
    // Browsers delay timers of a hidden page by a second or more.
    timer = window.setTimeout(() => {
      timer = undefined;
      run(dueHidden);
      // Laid out piece by piece, and not all at once when the page is shown again.
      document.body.getBoundingClientRect();
    });
  }
}

function run(works: ReadonlySet<FrameWork>): void {
  for (const work of [...works]) {
    const goesOn = dueHidden.has(work);
    cancelFrame(work);
    try {
      if (work()) {
        due.add(work);
        if (goesOn) {
          dueHidden.add(work);
        }
      }
    } catch (error) {
      console.error(error);
    }
  }
  request();
}
