// Fails where a folder of src/ holds more modules than one reads at a glance; tests don't count.
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX = 15;

const files = await readdir('src', { recursive: true });
const counts = new Map();
for (const file of files.filter(each => /\.tsx?$/.test(each) && !/\.test\./.test(each))) {
  counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
}
const full = [...counts].filter(([, count]) => count > MAX);
if (full.length > 0) {
  const words = full.map(([folder, count]) => `src/${folder} has ${count}`).join(', ');
  throw new Error(`A folder may have ${MAX} modules: ${words}.`);
}
