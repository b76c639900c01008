/* eslint-disable @typescript-eslint/unbound-method -- each is applied to a socket or a message */

/**
 * The browser's WebSocket functions, taken before any output was drawn: a script that replaces them
 * later gets none of our connections.
 */
const { apply, getPrototypeOf } = Reflect;
const { addEventListener } = EventTarget.prototype;
const { prototype } = WebSocket;
const native = prototype.send;
const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')?.get;

/** Sends with the browser's own method; another kind of socket uses its own. */
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

/** The data of a message. */
export function dataOf(message: Event): unknown {
  return data === undefined ? undefined : apply(data, message, []);
}
