/* eslint-disable @typescript-eslint/unbound-method -- each is applied to a socket or a message */

/**
 * What the browser has for WebSockets, as it was before any output was drawn: what a script puts in
 * its place later gets hold of no connection of ours.
 */
const { apply, getPrototypeOf } = Reflect;
const { addEventListener } = EventTarget.prototype;
const { prototype } = WebSocket;
const native = prototype.send;
const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')?.get;

/** Sends by the browser's own method; a socket of another kind has its own. */
export function send(socket: WebSocket, text: string): void {
  if (getPrototypeOf(socket) === prototype) {
    apply(native, socket, [text]);
  } else {
    socket.send(text);
  }
}

export function listen(
  socket: WebSocket,
  type: 'message' | 'close',
  listener: (event: Event) => void,
): void {
  apply(addEventListener, socket, [type, listener]);
}

/** What a message brought. */
export function dataOf(message: Event): unknown {
  return data === undefined ? undefined : apply(data, message, []);
}
