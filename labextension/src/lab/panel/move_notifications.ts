/** Interval of checks whether a notification covers a request. */
const LOOK_MS = 200;

/** Distance of JupyterLab's notifications from the edges of the window. */
const MARGIN = '1em';

const CORNERS = [
  { bottom: MARGIN, right: MARGIN },
  { bottom: MARGIN, left: MARGIN },
  { top: MARGIN, right: MARGIN },
  { top: MARGIN, left: MARGIN },
] as const;

type Corner = Partial<Record<Side, string>>;
type Side = 'top' | 'right' | 'bottom' | 'left';

const SIDES: readonly Side[] = ['top', 'right', 'bottom', 'left'];

let timer: ReturnType<typeof setInterval> | undefined;

/** Keeps JupyterLab's notifications away from open requests. */
export function moveNotificationsAside(isWaiting: () => boolean): void {
  timer ??= setInterval(() => {
    if (!isWaiting()) {
      clearInterval(timer);
      timer = undefined;
    }
    look(isWaiting());
  }, LOOK_MS);
}

function look(isWaiting: boolean): void {
  const requests = [...document.querySelectorAll('[data-request]')];
  const box = document.querySelector<HTMLElement>('.Toastify__toast-container');
  if (box === null) {
    return;
  }
  const notes = [...box.children];
  if (!isWaiting || notes.length === 0) {
    move(box, null);
    return;
  }
  const cards = requests.map(each => each.getBoundingClientRect());
  // A notification that is being used doesn't move, so that a click can't miss it.
  if (!notes.some(each => covered(each.getBoundingClientRect(), cards) > 0) || isUsed(box)) {
    return;
  }
  const { width, height } = box.getBoundingClientRect();
  const gap = parseFloat(getComputedStyle(box).fontSize);
  const [best] = CORNERS.map((corner: Corner) => {
    const left = corner.left === undefined ? window.innerWidth - gap - width : gap;
    const top = corner.top === undefined ? window.innerHeight - gap - height : gap;
    return { corner, covers: covered(new DOMRect(left, top, width, height), cards) };
  }).sort((one, other) => one.covers - other.covers);
  move(box, best?.corner ?? null);
}

function isUsed(box: HTMLElement): boolean {
  return box.matches(':hover') || box.contains(document.activeElement);
}

/** The area of the cards that a box covers, in square pixels. */
function covered(box: DOMRect, cards: readonly DOMRect[]): number {
  const areas = cards.map(card => {
    const width = Math.min(box.right, card.right) - Math.max(box.left, card.left);
    const height = Math.min(box.bottom, card.bottom) - Math.max(box.top, card.top);
    return Math.max(0, width) * Math.max(0, height);
  });
  return areas.reduce((sum, each) => sum + each, 0);
}

/** Moves the notifications into a corner; with `null` to JupyterLab's own place. */
function move(box: HTMLElement, corner: Corner | null): void {
  for (const side of SIDES) {
    if (corner === null) {
      box.style.removeProperty(side);
    } else {
      box.style.setProperty(side, corner[side] ?? 'auto');
    }
  }
}
