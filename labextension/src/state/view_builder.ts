import type {
  Item,
  ItemClosed,
  SessionState,
  TextAppended,
  TextChanged,
  TurnState,
} from '../wire/types';
import type { Growth, SessionView, TextField, Texts } from './session_view';
import { growthKey, textLength, textOf, withText } from './texts';

/** Most texts that are kept as pieces before they are joined into their items. */
const MAX_GROWING = 64;

const FIELDS: readonly TextField[] = ['text', 'output'];

/** Builds the next view: each table is copied on its first change, and only once. */
export class ViewBuilder implements Texts {
  session: SessionState | null;
  seq: number | null;
  stale: boolean;
  private readonly turns: CopiedMap<TurnState>;
  private readonly itemTable: CopiedMap<Item>;
  private readonly positions: CopiedMap<number>;
  private readonly order: CopiedList;
  private readonly byTurn: CopiedMap<readonly string[]>;
  private readonly turnLists = new Map<string, CopiedList>();
  private growthTable: CopiedMap<Growth>;
  private total: number;

  constructor(private readonly former: SessionView) {
    this.session = former.session;
    this.seq = former.seq;
    this.stale = former.stale;
    this.total = former.total;
    this.turns = new CopiedMap(former.turns);
    this.itemTable = new CopiedMap(former.items);
    this.positions = new CopiedMap(former.positions);
    this.order = new CopiedList(former.order);
    this.byTurn = new CopiedMap(former.byTurn);
    this.growthTable = new CopiedMap(former.growth);
  }

  get items(): ReadonlyMap<string, Item> {
    return this.itemTable.read;
  }

  get growth(): ReadonlyMap<string, Growth> {
    return this.growthTable.read;
  }

  finish(): SessionView {
    for (const [turnId, list] of this.turnLists) {
      this.byTurn.write.set(turnId, list.read);
    }
    return {
      ...this.former,
      session: this.session,
      seq: this.seq,
      stale: this.stale,
      total: this.total,
      turns: this.turns.read,
      items: this.items,
      positions: this.positions.read,
      order: this.order.read,
      byTurn: this.byTurn.read,
      growth: this.growth,
    };
  }

  putTurn(turn: TurnState): void {
    this.turns.write.set(turn.turn_id, turn);
  }

  /** Adds an item; it joins `order` if it follows the last one. */
  add(item: Item, index: number): void {
    if (this.items.has(item.id)) {
      this.replace(item);
      return;
    }
    this.itemTable.write.set(item.id, item);
    this.positions.write.set(item.id, index);
    if (item.turn_id !== null) {
      this.turnList(item.turn_id).write.push(item.id);
    }
    const end = this.former.firstIndex + this.order.read.length;
    if (index === end) {
      this.order.write.push(item.id);
      this.total = Math.max(this.total, index + 1);
    } else if (index > end) {
      this.stale = true;
    }
  }

  /** Replaces an item, if it is loaded. */
  replace(item: Item): void {
    const known = this.items.get(item.id);
    if (known === undefined) {
      return;
    }
    this.itemTable.write.set(item.id, item);
    FIELDS.forEach(field => this.forgetGrowth(item.id, field));
    if (item.turn_id !== null && item.turn_id !== known.turn_id) {
      this.turnList(item.turn_id).write.push(item.id);
    }
  }

  /** Closes an item: appended text becomes part of it. */
  close({ item_id: itemId, at }: ItemClosed): void {
    const item = this.items.get(itemId);
    if (item?.kind === 'agent_message' || item?.kind === 'thought') {
      const text = textOf(this, itemId, 'text');
      const closed =
        item.kind === 'thought'
          ? { ...item, text, open: false, ended_at: at }
          : { ...item, text, open: false };
      this.itemTable.write.set(itemId, closed);
      this.forgetGrowth(itemId, 'text');
    }
  }

  /** Appends the new part of a text; a gap makes the view stale. */
  append({ item_id: itemId, field, offset, text }: TextAppended): void {
    const length = this.lengthTo(offset, itemId, field);
    if (length === null) {
      return;
    }
    const piece = text.slice(length - offset);
    if (piece === '') {
      return;
    }
    const key = growthKey(itemId, field);
    const previous = this.growth.get(key) ?? null;
    this.growthTable.write.set(key, { piece, start: length, previous });
    if (this.growth.size > MAX_GROWING) {
      this.joinTexts();
    }
  }

  /** Changes the end of a text, from an offset on. */
  change({ item_id: itemId, field, offset, text }: TextChanged): void {
    const item = this.items.get(itemId);
    if (this.lengthTo(offset, itemId, field) !== null && item !== undefined) {
      const whole = textOf(this, itemId, field).slice(0, offset) + text;
      this.replace(withText(item, field, whole));
    }
  }

  /** Length of a text; `null` if text can't be put at an offset. */
  private lengthTo(offset: number, itemId: string, field: TextField): number | null {
    if (!this.items.has(itemId)) {
      // Not loaded, or lost; if all items are loaded it was lost.
      this.stale ||= this.former.firstIndex === 0;
      return null;
    }
    const length = textLength(this, itemId, field);
    this.stale ||= offset > length;
    return offset > length ? null : length;
  }

  private forgetGrowth(itemId: string, field: TextField): void {
    const key = growthKey(itemId, field);
    if (this.growth.has(key)) {
      this.growthTable.write.delete(key);
    }
  }

  private joinTexts(): void {
    for (const [id, item] of this.items) {
      for (const field of FIELDS) {
        if (this.growth.has(growthKey(id, field))) {
          this.itemTable.write.set(id, withText(item, field, textOf(this, id, field)));
        }
      }
    }
    this.growthTable = new CopiedMap<Growth>(new Map());
  }

  private turnList(turnId: string): CopiedList {
    let list = this.turnLists.get(turnId);
    if (list === undefined) {
      list = new CopiedList(this.byTurn.read.get(turnId) ?? []);
      this.turnLists.set(turnId, list);
    }
    return list;
  }
}
/** A map that is copied on its first change, so that the original stays unchanged. */
export class CopiedMap<Value> {
  private copy: Map<string, Value> | null = null;

  constructor(private readonly former: ReadonlyMap<string, Value>) {}

  get read(): ReadonlyMap<string, Value> {
    return this.copy ?? this.former;
  }

  get write(): Map<string, Value> {
    this.copy ??= new Map(this.former);
    return this.copy;
  }
}

/** The same for a list of ids. */
export class CopiedList {
  private copy: string[] | null = null;

  constructor(private readonly former: readonly string[]) {}

  get read(): readonly string[] {
    return this.copy ?? this.former;
  }

  get write(): string[] {
    this.copy ??= [...this.former];
    return this.copy;
  }
}
