import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { useOpen, useScene } from '../scene';
import { Icon } from './icons';

interface DisclosureProps {
  /** Id of its state in the store. */
  readonly id: string;
  /** Whether it is open before the user has touched it. */
  readonly standard: boolean;
  readonly line: ComponentChildren;
  /** Shown between the line and its body, open or not. */
  readonly under?: ComponentChildren;
  /** Shown below the body, open or not. */
  readonly after?: ComponentChildren;
  /** Called only when it is open. */
  readonly body: () => ComponentChildren;
  readonly class?: string;
  /** Class of the body. */
  readonly bodyClass?: string;
  /** Position of the chevron. */
  readonly chevron?: 'start' | 'end';
  readonly onToggle?: (open: boolean) => void;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
}

/** A line that opens. In a saved output it is a `summary`, since that has no controls. */
export function Disclosure(props: DisclosureProps) {
  const { id, standard, body, bodyClass = '', onToggle, attributes = {}, chevron = 'end' } = props;
  const { actions } = useScene();
  const [open, setOpen] = useOpen(id, standard);
  const bodyId = useId();
  const toggle = (next: boolean) => {
    if (next !== open) {
      setOpen(next);
      onToggle?.(next);
    }
  };
  const mark = <Icon name="chevron" small class="chev" />;
  const line = (
    <>
      {chevron === 'start' && mark}
      {props.line}
      {chevron === 'end' && mark}
    </>
  );
  if (actions === null) {
    return (
      <details
        {...attributes}
        class={props.class}
        open={open}
        onToggle={event => toggle(event.currentTarget.open)}
      >
        <summary class="acp-line">{line}</summary>
        {props.under}
        {open && <div class={bodyClass}>{body()}</div>}
        {props.after}
      </details>
    );
  }
  return (
    <div {...attributes} class={props.class}>
      <button
        type="button"
        class="acp-line"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => toggle(!open)}
      >
        {line}
      </button>
      {props.under}
      {open && (
        <div class={bodyClass} id={bodyId}>
          {body()}
        </div>
      )}
      {props.after}
    </div>
  );
}
