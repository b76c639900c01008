import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import { CompleterModel, ICompletionProviderManager } from '@jupyterlab/completer';
import type {
  CompletionHandler,
  ICompletionContext,
  ICompletionProvider,
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { mentionAt } from '../../state/attachments';
import { listedCommands } from '../../state/listed_commands';
import type { Translate } from '../../views';
import type { Mention } from '../../views/actions';
import type { AddedCommand } from '../../views/additions';
import type { SessionState } from '../../wire/types';
import { additions, loadAdditions } from '../page/additions';
import { placeAt } from '../page/answer_cells';
import type { Place } from '../page/answer_cells';
import { IAcpClient } from '../page/client';
import { CurrentNotebook } from '../page/current_notebook';
import { sessionOf } from '../page/notebook_sessions';
import { within } from '../page/within';
import { PageContext } from './page_context';

type Item = CompletionHandler.ICompletionItem;

/** Completes prompts in cells. The kernel completes the first line, since it knows the options. */
export const promptCompletionPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:prompt-completion',
  description: 'Completes files, variables, cells and commands in prompts.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ICompletionProviderManager, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    manager: ICompletionProviderManager | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    manager?.registerProvider(new PromptCompletion(app, client, new CurrentNotebook(tracker), t));
  },
};

/** An item that knows how to update its list while the user goes on typing. */
interface PromptItem extends Item {
  readonly offer?: Offer;
}

interface Offer {
  /** Offset of the text that is replaced. */
  readonly start: number;
  readonly find: (typed: string) => readonly Item[];
}

class PromptCompletion implements ICompletionProvider<PromptItem> {
  readonly identifier = 'acp-jupyter:prompts';
  /**
   * Above all of JupyterLab's providers, including the debugger's: the first one makes the model.
   */
  readonly rank = 1100;
  readonly renderer = null;
  readonly #client: IAcpClient;
  readonly #notebook: CurrentNotebook;
  readonly #context: PageContext;
  readonly #t: Translate;

  constructor(app: JupyterFrontEnd, client: IAcpClient, notebook: CurrentNotebook, t: Translate) {
    this.#client = client;
    this.#notebook = notebook;
    this.#t = t;
    this.#context = new PageContext({ app, client, notebook, session: () => this.#session(), t });
  }

  isApplicable(context: ICompletionContext): Promise<boolean> {
    return Promise.resolve(placeIn(context) !== null);
  }

  /** Called if the settings allow it: what was just typed must be able to begin a name. */
  shouldShowContinuousHint(
    isVisible: boolean,
    { sourceChange }: Parameters<NonNullable<ICompletionProvider['shouldShowContinuousHint']>>[1],
    context?: ICompletionContext,
  ): boolean {
    const typed = sourceChange?.map(({ insert }) => insert ?? '').join('') ?? '';
    const place = context === undefined ? null : placeIn(context);
    return !isVisible && /^\S$/u.test(typed) && place !== null && place.kind !== 'prose';
  }

  modelFactory(context: ICompletionContext): Promise<PromptModel> {
    return Promise.resolve(new PromptModel(() => codeCell(context) !== null));
  }

  async fetch(
    { text, offset }: CompletionHandler.IRequest,
    context: ICompletionContext,
  ): Promise<CompletionHandler.ICompletionItemsReply<PromptItem>> {
    const caret = Text.charIndexToJsIndex(offset, text);
    const place = placeAt(text, caret);
    const named = place?.kind === 'mention' ? text.slice(place.start + 1, caret) : '';
    const offer = await this.#offer(place, named, codeCell(context)?.model.id ?? '');
    const items = offer?.find(text.slice(offer.start, caret)) ?? [];
    return {
      start: offer === null ? offset : Text.jsIndexToCharIndex(offer.start, text),
      end: offset,
      items: offer === null ? [] : items.map(item => ({ ...item, offer })),
    };
  }

  async #offer(place: Place | null, named: string, cellId: string): Promise<Offer | null> {
    if (place?.kind === 'mention') {
      const { mentions } = this.#context;
      await within(mentions.ready(named), WAIT_MS);
      return {
        start: place.start,
        find: typed =>
          mentionAt(typed, typed.length) === null
            ? []
            : mentions.inCell(typed.slice(1), cellId).map(mention => this.#mentionItem(mention)),
      };
    }
    if (place?.kind === 'command') {
      const session = this.#session();
      const added = await this.#added(session?.session_id ?? '');
      return {
        start: place.start,
        find: typed =>
          listedCommands(typed, session?.commands ?? [], added, this.#t).map(
            ({ name, hint, description, added: more }) => ({
              label: hint === '' ? `/${name}` : `/${name} ${hint}`,
              insertText: `/${name} `,
              type: more?.label ?? this.#t('command'),
              documentation: more?.problem || description,
            }),
          ),
      };
    }
    return null;
  }

  /** What features add to the agent's commands, as far as it is known soon. */
  async #added(sessionId: string): Promise<readonly AddedCommand[]> {
    const found: AddedCommand[] = [];
    const load = async () => {
      await loadAdditions();
      const lists = additions.get('slashCommands').map(list => list(sessionId));
      found.push(...(await Promise.all(lists)).flat());
    };
    await within(load(), WAIT_MS);
    return found;
  }

  #mentionItem({ label, word, detail, attachment: { kind } }: Mention): Item {
    const t = this.#t;
    const line = kind === 'cell' ? label.slice(label.indexOf(':')) : '';
    return {
      label: `@${word}${line}`,
      insertText: `@${word}`,
      type: kind === 'cell' ? t('cell') : kind === 'variable' ? t('variable') : t('file'),
      documentation: detail,
    };
  }

  /** State of the session that the active cell belongs to, if it is known. */
  #session(): SessionState | null {
    const panel = this.#notebook.panel;
    const source = panel?.content.activeCell?.model.sharedModel.source ?? '';
    const summary = sessionOf(source, this.#notebook.path, this.#client.sessions ?? []);
    if (summary === null) {
      return null;
    }
    // The sessions of an open notebook are followed anyway.
    const following = this.#client.follow(summary.session_id);
    following.dispose();
    return following.store.view.session;
  }
}

/** The completions of a cell; in a prompt only those of prompts. */
class PromptModel extends CompleterModel {
  readonly #isOfCell: () => boolean;
  #offer: Offer | null = null;

  constructor(isOfCell: () => boolean) {
    super();
    this.#isOfCell = isOfCell;
  }

  override setCompletionItems(items: PromptItem[]): void {
    const asked = this.original;
    const place = asked !== null && this.#isOfCell() ? placeAt(asked.text, offsetOf(asked)) : null;
    const offer = items.find(item => item.offer !== undefined)?.offer ?? null;
    this.#offer = place === null ? null : offer;
    if (asked !== null && this.#offer !== null) {
      // Other providers may use another range.
      this.cursor = { start: this.#offer.start, end: offsetOf(asked) };
    }
    super.setCompletionItems(place === null ? items : items.filter(item => isOwn(item, place)));
  }

  override completionItems(): CompletionHandler.ICompletionItems {
    const now = this.current ?? this.original;
    if (this.#offer === null || now === null) {
      return super.completionItems();
    }
    const typed = now.text.slice(this.#offer.start, offsetOf(now));
    // Labels are rendered as HTML.
    return this.#offer
      .find(typed)
      .map(item => ({ ...item, label: new Option(item.label).innerHTML }));
  }
}

/**
 * Whether a completion belongs here: of the kernel's, only words of magics and not Python's names.
 */
function isOwn(item: PromptItem, { kind }: Place): boolean {
  return kind === 'line' ? item.type === 'magic' : item.offer !== undefined;
}

function offsetOf({ text, line, column }: NonNullable<CompleterModel['original']>): number {
  const before = text.split('\n').slice(0, line);
  return before.reduce((sum, one) => sum + one.length + 1, column);
}

/** The active cell, if it is a code cell and is being edited. */
function codeCell({ widget, editor }: ICompletionContext): Cell | null {
  const cell = widget instanceof NotebookPanel ? widget.content.activeCell : null;
  return cell?.model.type === 'code' && cell.editor === editor ? cell : null;
}

function placeIn(context: ICompletionContext): Place | null {
  const { editor } = context;
  return editor && codeCell(context) !== null
    ? placeAt(editor.model.sharedModel.getSource(), editor.getOffsetAt(editor.getCursorPosition()))
    : null;
}

/** A completer gives up on a provider after a second, so what is known by then is offered. */
const WAIT_MS = 600;
