import { idsOf } from '../../state/runs';
import type { SessionView } from '../../state/session_view';
import type { Translate } from '../../views';
import type { Attachment } from '../../wire/types';
import { kindOfAddress } from './going_along';
import type { Counted } from './going_along';

/** Something that went along with a prompt. */
export interface Went extends Counted {
  readonly name: string;
  readonly cut: boolean;
}

/** What went along with the prompt of a turn, as the log has it. */
export function wentAlong(view: SessionView, turnId: string, t: Translate): Went[] {
  return idsOf(view, turnId, null).flatMap(id => {
    const item = view.items.get(id);
    return item?.kind === 'user_message' ? item.attachments.map(each => went(each, t)) : [];
  });
}

function went({ type, name, uri, size, cut }: Attachment, t: Translate): Went {
  // Nearly all of it is ASCII, and the tokens are an estimate.
  const counted = { size, chars: type === 'image' ? null : size, cut };
  const last = lastOf(uri);
  const [, cell, output] = /^cell-(\d+)(?:-output-(\d+))?$/.exec(last) ?? [];
  if (uri.startsWith('jupyter:') && cell !== undefined) {
    return output === undefined
      ? { ...counted, kind: 'cell', name: t('Cell %1', cell) }
      : { ...counted, kind: 'output', name: t('Cell %1, output %2', cell, output) };
  }
  return { ...counted, kind: kindOfAddress(type, uri), name: last === '' ? name : last };
}

/** The last name of an address. */
function lastOf(uri: string): string {
  const name = uri.replace(/^jupyter:/, '').replace(/^.*\//, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // an agent or a program wrote it
  }
}
