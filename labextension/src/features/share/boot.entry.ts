import { unpack85 } from '../../widget/base85';

/**
 * Unpacks the view of a shared file and runs it.
 *
 * The file's policy allows both scripts by their hash, and no others. If they can't run, the page
 * keeps its plain text.
 */
async function openShared(): Promise<void> {
  const packed = document.querySelector<HTMLElement>('#acp-view');
  const bytes = unpack85(packed?.textContent ?? '', Number(packed?.dataset['bytes']));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.textContent = await new Response(plain).text();
  document.body.append(script);
}

/** Until the view is drawn, the plain text would only flicker. */
const page = document.documentElement;
page.classList.add('acp-opening');
openShared()
  .catch((error: unknown) => console.error(error))
  .finally(() => page.classList.remove('acp-opening'));
