import { Cell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import { LiveTurn } from '../../delivery/live_turn';
import type { Drawable } from '../../delivery/live_turn';
import { snapshotStore } from '../../state/store';
import type { SessionStore } from '../../state/store';
import type { Actions, Mounted, Rendering, Translate, TurnProps } from '../../views';
import type { TurnSnapshot } from '../../wire/types';
import { mountTurn } from '../page/lazy_views';
import { claimsOf, snapshotOf } from './mime';
import { whenNearViewport } from './when_near_viewport';
import type { Decorate, Decoration } from './decoration';

/** Marks the output; the style sheet turns scrolled output mode off for its cell. */
const OUTPUT_CLASS = 'acp-TurnOutput';

const CELL_CLASS = 'acp-mod-hasTurn';

/** How long a running turn may take to become live before its saved output is shown. */
const PATIENCE_MS = 500;

export interface RendererOptions {
  readonly client: Client;
  readonly actions: (store: SessionStore, output: Widget) => Actions;
  readonly decorations: readonly Decorate[];
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/**
 * Draws a turn in a cell output.
 *
 * Only a turn that the server confirms for this cell is drawn live and with controls. Otherwise the
 * output's own content is drawn, without controls, and nothing is sent.
 */
export class TurnRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #options: RendererOptions;
  readonly #stop: () => void;
  #snapshot: TurnSnapshot | null = null;
  /** Id of the turn that the output claims to show. A replayed turn loses its id when it ends. */
  #turnId: string | null = null;
  #cell: OutputCell['cell'] | null = null;
  #live: LiveTurn | null = null;
  #stopWaiting: (() => void) | null = null;
  #turn: Drawable | null = null;
  #mounted: Mounted<TurnProps> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #body = document.createElement('div');
  readonly #decorations: readonly Decoration[];

  constructor(options: RendererOptions) {
    super();
    this.#options = options;
    this.#decorations = options.decorations.map(make => make(this.node, this.#body));
    this.addClass(OUTPUT_CLASS);
    this.node.append(this.#body);
    this.#stop = options.client.connectionChanged.add(() => {
      if (this.#turn !== null && this.#turnId !== null) {
        this.#mounted?.update(this.#props(this.#turn, this.#turnId));
      }
    });
  }

  /** Called again for each change of the output. */
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const snapshot = snapshotOf(model);
    this.#snapshot = snapshot;
    if (snapshot === null) {
      this.#detach();
      const text = model.data['text/plain'];
      this.#drawText(typeof text === 'string' ? text : '');
      return Promise.resolve();
    }
    const [turnId = this.#turnId] = claimsOf(model);
    if (this.#turnId !== turnId) {
      this.#detach();
      this.#turnId = turnId;
    }
    this.#attach();
    if (this.#turn === null) {
      this.#drawSaved(snapshot);
    }
    return Promise.resolve();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stop();
    this.#detach();
    this.#unmount();
    this.#decorations.forEach(each => each.dispose());
    this.#cell?.removeClass(CELL_CLASS);
    super.dispose();
  }

  /** A windowed notebook detaches and attaches outputs: the turn stays attached to its cell. */
  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#attach();
    this.#decorations.forEach(each => each.attach());
  }

  #attach(): void {
    const outputCell = this.isAttached ? cellOfOutput(this) : null;
    if (outputCell === null || this.#snapshot === null) {
      return;
    }
    if (this.#cell !== outputCell.cell) {
      this.#cell?.removeClass(CELL_CLASS);
      this.#cell = outputCell.cell;
      outputCell.cell.addClass(CELL_CLASS);
    }
    const turnId = this.#turnId;
    if (turnId === null || this.#live !== null) {
      return;
    }
    this.#stopWaiting?.();
    const begin = () => {
      this.#stopWaiting = null;
      this.#live = new LiveTurn(
        this.#options.client,
        {
          turnId,
          notebookPath: outputCell.panel.context.localPath,
          cellId: outputCell.cell.model.id,
        },
        turn => this.#become(turn),
      );
    };
    if (this.#snapshot.final) {
      // A long notebook has hundreds of turns: for those that nobody sees, the saved output is
      // drawn.
      this.#stopWaiting = whenNearViewport(this.node, begin);
    } else {
      begin();
    }
  }

  #detach(): void {
    clearTimeout(this.#timer);
    this.#stopWaiting?.();
    this.#stopWaiting = null;
    this.#live?.dispose();
    this.#live = null;
    this.#turn = null;
  }

  #become(turn: Drawable | null): void {
    const former = this.#turn;
    if (this.#snapshot === null || this.#turnId === null || (turn === null && former !== null)) {
      return; // the live view is newer than the saved output
    }
    this.#turn = turn;
    if (turn === null) {
      this.#drawSaved(this.#snapshot);
    } else if (turn.store === former?.store) {
      this.#mounted?.update(this.#props(turn, this.#turnId));
    } else {
      this.#mount(this.#props(turn, this.#turnId));
    }
  }

  #drawSaved(snapshot: TurnSnapshot): void {
    clearTimeout(this.#timer);
    const draw = () => {
      if (this.#turn === null && !this.isDisposed) {
        this.#mount({
          store: snapshotStore(snapshot),
          turnId: snapshot.turn_id,
          host: 'cell',
          actions: null,
          rendering: this.#options.rendering,
          t: this.#options.t,
        });
      }
    };
    if (snapshot.final || this.#mounted !== null) {
      draw();
    } else {
      this.#timer = setTimeout(draw, PATIENCE_MS);
    }
  }

  #drawText(text: string): void {
    this.#unmount();
    const pre = document.createElement('pre');
    pre.textContent = text;
    this.#body.replaceChildren(pre);
  }

  #props({ store, live }: Drawable, turnId: string): TurnProps {
    return {
      store,
      turnId,
      host: 'cell',
      actions: live ? this.#options.actions(store, this) : null,
      rendering: this.#options.rendering,
      connection: this.#options.client.connection,
      t: this.#options.t,
    };
  }

  #mount(props: TurnProps): void {
    clearTimeout(this.#timer);
    this.#unmount();
    this.#mounted = mountTurn(this.#body, props);
    this.#decorations.forEach(each => each.show(props.store, props.turnId));
  }

  #unmount(): void {
    this.#mounted?.dispose();
    this.#mounted = null;
    this.#body.replaceChildren();
  }
}

/** The cell that a widget is an output of. */
export interface OutputCell {
  readonly cell: Cell;
  readonly panel: NotebookPanel;
}

/** The cell and notebook of an output; `null` outside one, e.g. in a copied view. */
export function cellOfOutput(output: Widget): OutputCell | null {
  let cell: Cell | null = null;
  for (let widget = output.parent; widget !== null; widget = widget.parent) {
    if (widget instanceof Cell) {
      cell ??= widget;
    } else if (widget instanceof NotebookPanel) {
      return cell === null ? null : { cell, panel: widget };
    }
  }
  return null;
}
