import { isRecord } from './read';
import type { Fields } from './read';
import type { ServerFrame } from './types';

/**
 * Parses a frame of our own server; `null` for anything else.
 *
 * It checks only what a server of another version could send differently, since the types are
 * generated from the server's models.
 */
export function parseServerFrame(data: string): ServerFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  return isRecord(value) && isServerFrame(value) ? (value as unknown as ServerFrame) : null;
}

function isServerFrame(frame: Fields): boolean {
  switch (frame.type) {
    case 'hello':
      return (
        typeof frame.api_version === 'number' &&
        typeof frame.user === 'string' &&
        Array.isArray(frame.sessions)
      );
    case 'sessions':
      return Array.isArray(frame.sessions);
    case 'imports':
      return Array.isArray(frame.imports);
    case 'events':
      return (
        typeof frame.session_id === 'string' &&
        Array.isArray(frame.events) &&
        frame.events.every(isEvent)
      );
    case 'reply':
      return typeof frame.id === 'number';
    case 'ask':
      return typeof frame.id === 'number' && typeof frame.path === 'string';
    case 'error':
      return isRecord(frame.error) && typeof frame.error.message === 'string';
    default:
      return false;
  }
}

function isEvent(event: unknown): boolean {
  if (!isRecord(event) || typeof event.seq !== 'number' || typeof event.session_id !== 'string') {
    return false;
  }
  switch (event.kind) {
    case 'snapshot':
      return (
        isRecord(event.session) &&
        Array.isArray(event.turns) &&
        event.turns.every(isTurn) &&
        Array.isArray(event.items) &&
        event.items.every(isItem)
      );
    case 'item_added':
      return isItem(event.item) && typeof event.index === 'number';
    case 'item_replaced':
      return isItem(event.item);
    case 'item_closed':
      return typeof event.item_id === 'string' && typeof event.at === 'number';
    case 'text_appended':
    case 'text_changed':
      return (
        typeof event.item_id === 'string' &&
        typeof event.offset === 'number' &&
        typeof event.text === 'string' &&
        (event.field === 'text' || event.field === 'output')
      );
    case 'session_changed':
      return isRecord(event.session);
    case 'turn_started':
    case 'turn_ended':
      return isTurn(event.turn);
    default:
      return false;
  }
}

function isItem(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && typeof value.kind === 'string';
}

function isTurn(value: unknown): boolean {
  return isRecord(value) && typeof value.turn_id === 'string';
}
