import { useRef } from 'preact/hooks';

import type { Translate } from '../i18n';
import { IconButton } from '../parts/buttons';

interface AttachButtonProps {
  readonly t: Translate;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Chooses files of the user's own machine. */
export function AttachButton({ t, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="attach" label={t('Attach')} onClick={() => input.current?.click()} />
      <input
        type="file"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        ref={input}
        onChange={event => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
