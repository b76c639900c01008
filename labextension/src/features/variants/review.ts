import { LiveTurn } from '../../delivery/live_turn';
import type { IAcpClient } from '../../lab/page/client';
import { lazyView } from '../../lab/page/lazy_views';
import type { ReviewWidget, Sheet } from '../../lab/review/review_widget';
import type { Translate } from '../../views';

const mountVariantsReview = lazyView(
  async () => (await import('./view/review')).mountVariantsReview,
);

/** The review of the variants of one prompt. */
export function sheetOf(sessionIds: Sheet['sessionIds'], t: Translate): Sheet {
  return {
    ...{ id: `acp-review-variants-${sessionIds[0]}`, sessionIds, mount: mountVariantsReview },
    ...{ label: t('Variants'), caption: t('Changes of the variants of a prompt') },
  };
}

/**
 * Fetches all items of the turns of variants, once these are known, and keeps them while the review
 * is open: the test runs in them are counted.
 */
export function holdTurns(widget: ReviewWidget<unknown>, client: IAcpClient): void {
  const held = new Map<string, LiveTurn>();
  const hold = () => {
    for (const store of widget.stores) {
      const turn = [...store.view.turns.values()].find(each => each.variant > 0);
      if (turn !== undefined && turn.origin !== null && !held.has(store.sessionId)) {
        const { notebook_path: notebookPath, cell_id: cellId } = turn.origin;
        const cell = { turnId: turn.turn_id, notebookPath, cellId };
        held.set(store.sessionId, new LiveTurn(client, cell, () => undefined));
      }
    }
  };
  const stop = client.turnsChanged.add(hold);
  widget.disposed.connect(() => {
    stop();
    held.forEach(turn => turn.dispose());
  });
  hold();
}
