/** Work for the next frame; returns whether more is left for the one after. */
export type FrameWork = () => boolean;

const due = new Set<FrameWork>();

let requested = false;

/** Runs work once in the next animation frame, however often it is requested. */
export function inNextFrame(work: FrameWork): void {
  due.add(work);
  request();
}

export function cancelFrame(work: FrameWork): void {
  due.delete(work);
}

function request(): void {
  if (!requested && due.size > 0) {
    requested = true;
    requestAnimationFrame(run);
  }
}

function run(): void {
  requested = false;
  const now = [...due];
  due.clear();
  for (const work of now) {
    try {
      if (work()) {
        due.add(work);
      }
    } catch (error) {
      console.error(error);
    }
  }
  request();
}
