/**
 * Makes an element equal to another of the same tag, keeping every node that can
 * stay, so that growing text keeps its text node and the user's selection.
 */
export function patch(shown: Element, target: Element): void {
  patchAttributes(shown, target);
  let node = shown.firstChild;
  for (const next of [...target.childNodes]) {
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

function patchNode(node: ChildNode, target: ChildNode): void {
  if (node instanceof Text && target instanceof Text) {
    patchText(node, target.data);
  } else if (
    node instanceof Element &&
    target instanceof Element &&
    node.tagName === target.tagName
  ) {
    patch(node, target);
  } else {
    node.replaceWith(target);
  }
}

/** Updates a text node; appends if the text has only grown. */
export function patchText(node: Text, target: string): void {
  const { data } = node;
  if (target === data) {
    return;
  }
  if (target.startsWith(data)) {
    node.appendData(target.slice(data.length));
  } else {
    node.data = target;
  }
}

function patchAttributes(shown: Element, target: Element): void {
  for (const { name, value } of [...target.attributes]) {
    if (shown.getAttribute(name) !== value) {
      shown.setAttribute(name, value);
    }
  }
  for (const { name } of [...shown.attributes]) {
    if (!target.hasAttribute(name)) {
      shown.removeAttribute(name);
    }
  }
}
