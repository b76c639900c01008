/** A run of text, or one deceptive character. */
export interface Span {
  readonly text: string;
  /** Name of the deceptive character, e.g. `U+202E right-to-left override`; empty for ordinary text. */
  readonly odd: string;
}

/**
 * Which characters are marked: controls that no script needs there; all invisible ones; or also
 * those that look like others.
 */
export type Strictness = 'controls' | 'invisible' | 'lookalikes';

/** Format characters (bidi, zero width, tags), controls, blanks that are no space. */
const INVISIBLE = /^[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}]$/u;

/** Invisible characters of other categories: joiners, fillers, variation selectors. */
const FILLERS = new Set([0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0]);

const NAMES = new Map([
  [0x200b, 'zero width space'],
  [0x200c, 'zero width non-joiner'],
  [0x200d, 'zero width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0x00a0, 'no-break space'],
  [0x00ad, 'soft hyphen'],
  [0xfeff, 'zero width no-break space'],
]);

/** Letters and signs of other scripts, each followed by the ASCII character it looks like. */
const LOOKALIKES = pairs(
  'аaсcеeоoрpхxуyіiјjѕsһhԁdԛqԝwԍgӏlАAВBЕEЅSІIЈJКKМMНHОOРPСCТTХXУY' +
    'οoαaνvρpιiυuκkΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX' +
    '‐-‑-‒-–-—-―-−-⁄/∕/⧸/ǃ!ꓸ.․.‚,‘\'’\'“"”"ꓹ,∶:։:ː:‹<›>∣|ǀ|⼁|ıiɡgɑa',
);

/** Splits a text into runs, with each deceptive character by itself. */
export function spansOf(text: string, strictness: Strictness): Span[] {
  const only = strictness === 'controls';
  if (only && !MAYBE_CONTROL.test(text)) {
    return text === '' ? [] : [{ text, odd: '' }];
  }
  const spans: Span[] = [];
  let plain = '';
  /** Whether a flag is being spelt, as the flags of England, Scotland and Wales consist of tags. */
  let flag = false;
  const characters = Array.from(text);
  for (const [index, character] of characters.entries()) {
    flag = character === FLAG || (flag && TAG.test(character));
    const before = characters[index - 1] ?? '';
    const marked = !only || (!flag && isControl(character, before, characters[index + 1] ?? ''));
    const odd = marked ? oddity(character, strictness) : '';
    if (odd === '') {
      plain += character;
      continue;
    }
    if (plain !== '') {
      spans.push({ text: plain, odd: '' });
      plain = '';
    }
    spans.push({ text: character, odd });
  }
  if (plain !== '') {
    spans.push({ text: plain, odd: '' });
  }
  return spans;
}

/** A character's code point: `U+202E`. */
export function codePoint(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether a character is invisible, so that its code point is shown instead. */
export function isInvisible(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return (
    !' \t\n'.includes(character) &&
    (INVISIBLE.test(character) ||
      FILLERS.has(point) ||
      (point >= 0xfe00 && point <= 0xfe0e) ||
      (point >= 0xe0100 && point <= 0xe01ef))
  );
}

function oddity(character: string, strictness: Strictness): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x20 && point < 0x7f) {
    return '';
  }
  if (strictness === 'controls' || isInvisible(character)) {
    return `${codePoint(character)} ${NAMES.get(point) ?? 'invisible character'}`;
  }
  if (strictness === 'invisible') {
    return '';
  }
  const like = LOOKALIKES.get(character) ?? compatible(character, point);
  return like === undefined ? '' : `${codePoint(character)} looks like ${like}`;
}

/** A text without any of these has no controls. */
const MAYBE_CONTROL =
  // eslint-disable-next-line no-control-regex
  /[\0-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200d\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/u;

const SPACELESS = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;

const UNJOINED = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

const JOINED = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;

const TAG = /[\u{e0020}-\u{e007f}]/u;

const FLAG = '\u{1f3f4}';

/** Whether a character reverses, hides or splits text although no script needs it. */
function isControl(character: string, before: string, after: string): boolean {
  if (!MAYBE_CONTROL.test(character)) {
    return false;
  }
  if (character === '\u200b') {
    return !SPACELESS.test(before) && !SPACELESS.test(after);
  }
  if (character === '\u200c' || character === '\u200d') {
    return !JOINED.test(before) || UNJOINED.test(before);
  }
  return !(/[\u{e0100}-\u{e01ef}]/u.test(character) && /\p{sc=Hani}/u.test(before));
}

/** Marks controls in the texts of an element; its text content stays the same. */
export function markControls(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode() !== null) {
    const node = walker.currentNode;
    if (node instanceof Text && MAYBE_CONTROL.test(node.data)) {
      found.push(node);
    }
  }
  for (const node of found) {
    node.replaceWith(
      ...spansOf(node.data, 'controls').map(({ text, odd }) => {
        if (odd === '') {
          return text;
        }
        const mark = document.createElement('bdi');
        mark.className = 'acp-odd';
        mark.title = odd;
        mark.dataset.odd = codePoint(text);
        mark.textContent = text;
        return mark;
      }),
    );
  }
}

/** A text with its controls replaced by their code points. */
export function writtenOut(text: string): string {
  return spansOf(text, 'controls')
    .map(span => (span.odd === '' ? span.text : codePoint(span.text)))
    .join('');
}

/** The ASCII character of a full-width or mathematical letter. */
function compatible(character: string, point: number): string | undefined {
  if ((point >= 0xff01 && point <= 0xff5e) || (point >= 0x1d400 && point <= 0x1d7ff)) {
    const plain = character.normalize('NFKC');
    return /^[!-~]$/.test(plain) ? plain : undefined;
  }
  return undefined;
}

function pairs(table: string): Map<string, string> {
  const characters = Array.from(table);
  const map = new Map<string, string>();
  for (let index = 0; index + 1 < characters.length; index += 2) {
    map.set(characters[index] ?? '', characters[index + 1] ?? '');
  }
  return map;
}

interface VisibleProps {
  readonly text: string;
  readonly strictness?: Strictness;
}

/** A text with its deceptive characters marked. */
export function Visible({ text, strictness = 'invisible' }: VisibleProps) {
  return (
    <>
      {spansOf(text, strictness).map(({ text: run, odd }, index) =>
        odd === '' ? (
          run
        ) : (
          <mark key={index} class="acp-odd" title={odd}>
            {strictness === 'controls' || isInvisible(run) ? codePoint(run) : run}
          </mark>
        ),
      )}
    </>
  );
}

/** A title; in it agents write names of files and commands between backticks. */
export function TitleText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/`([^`]+)`/u).map((part, index) =>
        index % 2 === 0 ? (
          <Visible key={index} text={part} strictness="controls" />
        ) : (
          <code key={index}>
            <Visible text={part} strictness="controls" />
          </code>
        ),
      )}
    </>
  );
}

/** The names of the deceptive characters in these texts, each once. */
export function oddNames(texts: readonly string[], strictness: Strictness): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    for (const { odd } of spansOf(text, strictness)) {
      if (odd !== '') {
        names.add(odd);
      }
    }
  }
  return [...names];
}
