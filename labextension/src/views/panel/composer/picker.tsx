import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Icon } from '../../parts/icons';
import { useOutside } from '../../parts/outside';

export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description: string;
  readonly disabled?: boolean;
}

/** Letters typed within this time form one word. */
const TYPED_MILLISECONDS = 700;

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  /** Text of the button, if not the name of the choice. */
  readonly shown?: string;
  /** Whether the button shows the label, too: "Normal" alone says nothing. */
  readonly named?: boolean;
  /** What to know before choosing; shown over the choices. */
  readonly note?: string;
  readonly onChoose: (value: string) => void;
}

/** A combobox with a few choices in a list above it. */
export function Picker(props: PickerProps) {
  const { label, value, choices, shown, named = false, note = '', onChoose } = props;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  const root = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const listId = useId();
  const chosen = choices.find(choice => choice.value === value);

  useOutside(root, open, () => setOpen(false));

  // The list may be longer than its box.
  useLayoutEffect(() => {
    const box = list.current?.parentElement;
    const option = list.current?.children[active];
    if (box && option instanceof HTMLElement) {
      const { offsetTop: top, offsetHeight: height } = option;
      box.scrollTop = Math.min(top, Math.max(box.scrollTop, top + height - box.clientHeight));
    }
  }, [open, active]);

  const show = () => {
    setActive(
      Math.max(
        0,
        choices.findIndex(choice => choice.value === value),
      ),
    );
    setOpen(true);
  };
  const take = (index: number) => {
    const choice = choices[index];
    if (choice === undefined || choice.disabled === true) {
      return;
    }
    setOpen(false);
    button.current?.focus();
    if (choice.value !== value) {
      onChoose(choice.value);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextOf(event.key, active, choices.length);
    if (!open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      show();
    } else if (open && next !== null) {
      setActive(next);
    } else if (open && (event.key === 'Enter' || event.key === ' ' || event.key === 'Tab')) {
      take(active);
      if (event.key === 'Tab') {
        return;
      }
    } else if (open && event.key === 'Escape') {
      setOpen(false);
    } else if (
      open &&
      event.key.length === 1 &&
      !(event.ctrlKey || event.metaKey || event.altKey)
    ) {
      const now = event.timeStamp;
      const text = now - typed.current.at < TYPED_MILLISECONDS ? typed.current.text : '';
      typed.current = { text: text + event.key.toLowerCase(), at: now };
      setActive(matching(typed.current.text, choices) ?? active);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="acp-picker" ref={root}>
      <button
        type="button"
        class="acp-pick"
        role="combobox"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open ? `${listId}-${active}` : undefined}
        aria-describedby={open && note !== '' ? `${listId}-note` : undefined}
        title={`${label}: ${chosen?.name ?? value}`}
        ref={button}
        onClick={() => (open ? setOpen(false) : show())}
        onKeyDown={onKeyDown}
      >
        <span class="cut">
          {shown ?? buttonWords(label, chosen?.name ?? (value || label), named)}
        </span>
        <Icon name="chevron" small class="chev" />
      </button>
      {open && (
        <div class="acp-pop">
          {note !== '' && (
            <div class="lbl" id={`${listId}-note`}>
              {note}
            </div>
          )}
          <div role="listbox" id={listId} aria-label={label} ref={list}>
            {choices.map((choice, index) => (
              <div
                key={choice.value}
                class="opt"
                role="option"
                id={`${listId}-${index}`}
                aria-selected={index === active}
                aria-disabled={choice.disabled}
                data-chosen={choice.value === value ? '' : undefined}
                onPointerMove={() => setActive(index)}
                onClick={() => take(index)}
              >
                <span class="acp-tick">{choice.value === value && <Icon name="keep" />}</span>
                <span class="grow">
                  {choice.name}
                  {choice.description !== '' && <small class="muted">{choice.description}</small>}
                </span>
              </div>
            ))}
          </div>
        </div>
      )}
    </span>
  );
}

function nextOf(key: string, active: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, active + 1);
    case 'ArrowUp':
      return Math.max(0, active - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** Index of the first choice whose name starts with the typed text, else contains it. */
function matching(typed: string, choices: readonly Choice[]): number | null {
  const names = choices.map(choice => choice.name.toLowerCase());
  const begins = names.findIndex(name => name.startsWith(typed));
  const found = begins === -1 ? names.findIndex(name => name.includes(typed)) : begins;
  return found === -1 ? null : found;
}

/** At most two words of the name, with the label if it is `named` or before "default". */
function buttonWords(label: string, name: string, named: boolean): string {
  const [first = '', second = ''] = name.trim().split(/\s+/);
  const isDefault = /^default\b/i.test(first);
  const words = isDefault ? first : `${first} ${second}`.trim();
  return isDefault || named ? `${label}: ${words}` : words;
}
