// Prints the titles of vitest tests, joined with those of their `describe`s:
// node test_titles.mjs FILE... -> [{"file", "title"}]
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const labextension = join(import.meta.dirname, '../labextension/package.json');
const ts = createRequire(labextension)('typescript');

/** `it` of `it(…)`, `it.skip(…)`, `it.each(…)(…)` and `` it.each`…`(…) ``. */
function calledName(node) {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) {
    return calledName(node.expression);
  }
  return ts.isTaggedTemplateExpression(node) ? calledName(node.tag) : '';
}

function textOf(node) {
  if (node === undefined) return '';
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : '';
}

function titlesOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, outer) => {
    let inner = outer;
    if (ts.isCallExpression(node)) {
      const name = calledName(node.expression);
      const title = textOf(node.arguments[0]);
      if (name === 'describe') inner = [...outer, title];
      if ((name === 'it' || name === 'test') && title) {
        found.push({ file, title: [...outer, title].join(' ') });
      }
    }
    ts.forEachChild(node, child => visit(child, inner));
  };
  visit(source, []);
  return found;
}

console.log(JSON.stringify(process.argv.slice(2).flatMap(titlesOf)));
