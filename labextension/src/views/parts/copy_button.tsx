import { useState } from 'preact/hooks';

import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { ActionButton } from './buttons';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly actions: Pick<Actions, 'copy'>;
  readonly t: Translate;
}

/** Copies a text, and confirms it. */
export function CopyButton({ text, label, actions, t }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  return actions.copy === undefined ? null : (
    <ActionButton
      label={label}
      run={async () => {
        await actions.copy?.(text);
        setCopied(true);
      }}
    >
      {copied ? t('Copied') : t('Copy')}
    </ActionButton>
  );
}
