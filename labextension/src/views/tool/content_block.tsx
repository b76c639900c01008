import { useLayoutEffect, useRef } from 'preact/hooks';

import type { ContentBlockItem } from '../../wire/types';
import { bytes } from '../i18n';
import { safeLink } from '../markdown/sanitise';
import { Icon } from '../parts/icons';
import { useScene } from '../scene';

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const AUDIO_TYPE = /^audio\/[\w.+-]{1,64}$/;

const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/** A content block that is not text. Only embedded data is shown, nothing is fetched. */
export function ContentBlock({ block }: { readonly block: ContentBlockItem }) {
  const { t } = useScene();
  const size = block.size ?? Math.floor((block.data.length * 3) / 4);
  const facts = [block.mime_type, size > 0 ? bytes(size) : ''].filter(fact => fact !== '');
  if (block.type === 'image' && IMAGE_TYPES.has(block.mime_type) && BASE64.test(block.data)) {
    return (
      <figure class="acp-image">
        <img
          src={`data:${block.mime_type};base64,${block.data}`}
          alt={block.name === '' ? t('Image') : block.name}
        />
        <figcaption class="muted">{facts.join(' · ')}</figcaption>
      </figure>
    );
  }
  if (
    block.type === 'audio' &&
    block.data !== '' &&
    AUDIO_TYPE.test(block.mime_type) &&
    BASE64.test(block.data)
  ) {
    return (
      <Audio
        address={`data:${block.mime_type};base64,${block.data}`}
        name={block.name === '' ? t('Audio') : block.name}
        facts={facts.join(' · ')}
      />
    );
  }
  if (block.type === 'resource' && block.text !== '') {
    return (
      <div class="acp-code">
        <header role="presentation">
          <span class="cut grow">{block.name === '' ? block.uri : block.name}</span>
        </header>
        <pre tabIndex={0} role="group" aria-label={t('Resource')}>
          {block.text}
        </pre>
      </div>
    );
  }
  const link = safeLink(block.uri);
  const name = block.name === '' ? block.uri : block.name;
  return (
    <p class="acp-resource">
      <Icon name={block.type === 'image' ? 'image' : 'attach'} />
      {link === null ? (
        <span class="cut">{name === '' ? t('Content of type %1', block.type) : name}</span>
      ) : (
        <a class="link cut" href={link} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      )}
      <span class="muted">{facts.join(' · ')}</span>
    </p>
  );
}

interface AudioProps {
  readonly address: string;
  readonly name: string;
  /** Type and size. */
  readonly facts: string;
}

/** An audio player. */
export function Audio({ address, name, facts }: AudioProps) {
  const figure = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = figure.current;
    const player = element?.querySelector('audio');
    if (!element?.parentElement || !player) {
      return undefined;
    }
    // Chromium hides a player's controls when `moveBefore` moves it, which happens when a turn
    // folds.
    const observer = new MutationObserver(mutations => {
      if (mutations.some(({ addedNodes }) => [...addedNodes].includes(element))) {
        player.controls = false;
        player.controls = true;
      }
    });
    observer.observe(element.parentElement, { childList: true });
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="acp-image" ref={figure}>
      <audio controls src={address} aria-label={name} />
      <figcaption class="muted">{facts}</figcaption>
    </figure>
  );
}
