import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { focusedElement } from './keyboard';
import { useOutside } from './outside';

export interface MenuItem {
  readonly name: string;
  readonly description?: string;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly class?: string;
  /** Content of the button. */
  readonly children: ComponentChildren;
}

/** A button with a menu below it. */
export function Menu({ label, items, class: kind = 'ico', children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  useEffect(() => {
    if (open) {
      itemsIn(box.current)[0]?.focus();
    }
  }, [open]);
  useOutside(box, open, () => setOpen(false));

  const choose = (item: MenuItem) => {
    setOpen(false);
    button.current?.focus();
    item.onChoose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open && event.key === 'ArrowDown') {
      setOpen(true);
    } else if (open && (event.key === 'Escape' || event.key === 'Tab')) {
      setOpen(false);
      button.current?.focus();
      if (event.key === 'Tab') {
        return;
      }
    } else if (!open || !moveIn(box.current, event.key)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="acp-menu" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={kind}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        ref={button}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div class="acp-pop" role="menu" id={menuId} aria-label={label}>
          {items.map(item => (
            <button
              key={item.name}
              type="button"
              class={`opt${item.danger === true ? ' err' : ''}`}
              role="menuitem"
              tabIndex={-1}
              disabled={item.disabled}
              onClick={() => choose(item)}
            >
              <span class="grow">
                {item.name}
                {(item.description ?? '') !== '' && <small class="muted">{item.description}</small>}
              </span>
            </button>
          ))}
        </div>
      )}
    </span>
  );
}

function itemsIn(box: HTMLElement | null): HTMLElement[] {
  return [...(box?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
}

function moveIn(box: HTMLElement | null, key: string): boolean {
  const items = itemsIn(box);
  const focused = focusedElement();
  const at = items.findIndex(item => item === focused);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  if (next === undefined) {
    return false;
  }
  items[(next + items.length) % items.length]?.focus();
  return true;
}
