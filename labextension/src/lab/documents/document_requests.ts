import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { AnswerFrame, AskFrame } from '../../wire/types';
import type { OpenDocument } from './open_document';
import { NotebookEditError } from './notebook_edit_error';

/** Longest text of an answer: a longer frame closes the connection. */
const MAX_TEXT = 8_000_000;

type Answer = Partial<Omit<AnswerFrame, 'type' | 'id'>>;

/** The page's documents and settings. */
interface Page {
  readonly find: (path: string) => OpenDocument | undefined;
  /** Whether the user's settings allow saving before a prompt. */
  readonly maySave: () => boolean;
}

/** Answers the host's requests about open documents. */
export function answerDocumentRequests(client: Client, page: Page): void {
  const open = new OpenRequests(client);
  client.asked.add(frame => {
    const { question } = frame;
    if (question.op === 'withdraw') {
      open.end(frame.id);
      return;
    }
    const isLate = open.begin(frame);
    void answer({ ...frame, question }, isLate, page)
      .catch((error: unknown): Answer => {
        if (error instanceof NotebookEditError) {
          return { refusal: error.refusal, error: error.message, reason: error.refusal.reason };
        }
        const { message, reason } = Failure.from(error);
        return { error: message, reason };
      })
      .then(answered => {
        if (isLate()) {
          return; // nobody waits for this answer, and another request may have its id
        }
        open.end(frame.id);
        client.answer({
          type: 'answer',
          id: frame.id,
          text: null,
          notebook: null,
          refusal: null,
          error: null,
          reason: '',
          ...answered,
        });
      });
  });
}

/** Requests that the host still waits for; it may have sent a late one to another page. */
class OpenRequests {
  #open = new Set<number>();

  constructor(client: Client) {
    client.connectionChanged.add(() => {
      this.#open = new Set(); // ids start again with each connection
    });
  }

  /** Returns a function that says whether it is too late to answer. */
  begin({ id, deadline_seconds: seconds }: AskFrame): () => boolean {
    const open = this.#open.add(id);
    const deadline = performance.now() + seconds * 1000;
    return () => open !== this.#open || !open.has(id) || performance.now() > deadline;
  }

  end(id: number): void {
    this.#open.delete(id);
  }
}

type Question = Exclude<AskFrame['question'], { readonly op: 'withdraw' }>;

async function answer(
  { path, question }: Omit<AskFrame, 'question'> & { readonly question: Question },
  isLate: () => boolean,
  { find, maySave }: Page,
): Promise<Answer> {
  const document = find(path);
  if (document === undefined) {
    throw new Failure('This page does not have that document open.', 'no_document');
  }
  switch (question.op) {
    case 'read_document': {
      const text = await document.read();
      if (text.length > MAX_TEXT) {
        throw new Failure('It is too large to be read from the page.', 'too_large');
      }
      return { text };
    }
    case 'write_document':
      await document.write(question.text, question.base, isLate);
      return {};
    case 'save_document':
      if (!maySave()) {
        throw new Failure('Saving before a prompt is switched off.', 'unwanted');
      }
      await document.save();
      return {};
    case 'read_notebook':
      return {
        notebook: (await edits()).notebookState(await notebookOf(document), question.pinned_only),
      };
    case 'edit_notebook': {
      const { editNotebook, notebookState } = await edits();
      const model = await notebookOf(document);
      await document.change(() => {
        if (isLate()) {
          throw new Failure('The page was busy for too long.', 'late');
        }
        editNotebook(model, question);
      });
      return { notebook: notebookState(model) };
    }
  }
}

/** Loaded when an agent first uses the tools of a notebook. */
function edits() {
  return import('./notebook_edits');
}

async function notebookOf(document: OpenDocument) {
  const model = await document.notebook();
  if (model === null) {
    throw new NotebookEditError('no_notebook', 'It is not open as a notebook.', {});
  }
  return model;
}
