// Runs the builds that features have of their own: `src/features/NAME/build.mjs`.
import { glob } from 'node:fs/promises';

for await (const file of glob('src/features/*/build.mjs')) {
  await import(`../${file.replaceAll('\\', '/')}`);
}
