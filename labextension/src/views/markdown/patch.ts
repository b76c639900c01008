/**
 * Makes one element like another of the same tag and keeps every node that can
 * stay, so that a growing text keeps its text node and the user's selection.
 */
export function patch(shown: Element, wanted: Element): void {
  patchAttributes(shown, wanted);
  let node = shown.firstChild;
  for (const next of [...wanted.childNodes]) {
    if (node === null) {
      shown.append(next);
      continue;
    }
    const following: ChildNode | null = node.nextSibling;
    patchNode(node, next);
    node = following;
  }
  while (node !== null) {
    const following: ChildNode | null = node.nextSibling;
    node.remove();
    node = following;
  }
}

function patchNode(node: ChildNode, wanted: ChildNode): void {
  if (node instanceof Text && wanted instanceof Text) {
    patchText(node, wanted.data);
  } else if (
    node instanceof Element &&
    wanted instanceof Element &&
    node.tagName === wanted.tagName
  ) {
    patch(node, wanted);
  } else {
    node.replaceWith(wanted);
  }
}

/** Appends where the text has only grown: nothing before is laid out by another node. */
export function patchText(node: Text, wanted: string): void {
  const { data } = node;
  if (wanted === data) {
    return;
  }
  if (wanted.startsWith(data)) {
    node.appendData(wanted.slice(data.length));
  } else {
    node.data = wanted;
  }
}

function patchAttributes(shown: Element, wanted: Element): void {
  for (const { name, value } of [...wanted.attributes]) {
    if (shown.getAttribute(name) !== value) {
      shown.setAttribute(name, value);
    }
  }
  for (const { name } of [...shown.attributes]) {
    if (!wanted.hasAttribute(name)) {
      shown.removeAttribute(name);
    }
  }
}
