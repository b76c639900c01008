// The protocol's own server, by WebSocket and HTTP at /acp: each connection gets a process of the
// agent that is named on the command line. Says its port on stdout; ends with its stdin.
//
// node server.mjs [--token TOKEN] -- COMMAND ARGUMENT...

import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import http from "node:http";
import { Readable, Writable } from "node:stream";
import { WebSocketServer } from "ws";

const split = process.argv.indexOf("--");
const options = process.argv.slice(2, split);
const [command, ...args] = process.argv.slice(split + 1);
const token =
  options[0] === "--token" ? `Bearer ${options[1]}` : undefined;

function connect(stream) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout),
  );
  const closed = Promise.race([
    stream.readable.pipeTo(lines.writable).catch(() => {}),
    lines.readable.pipeTo(stream.writable).catch(() => {}),
  ]).finally(() => child.stdin.destroy());
  return { closed };
}

const acp = new AcpServer({ agent: { connect } });
const handle = createNodeHttpHandler(acp);
const upgrade = createNodeWebSocketUpgradeHandler(
  acp,
  new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 }),
);
const welcome = (request) =>
  request.url === "/acp" &&
  (token === undefined || request.headers.authorization === token);

const server = http.createServer((request, response) => {
  if (request.url !== "/acp") {
    response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello");
  } else if (!welcome(request)) {
    response.writeHead(401).end();
  } else {
    handle(request, response);
  }
});
server.on("upgrade", (request, socket, head) => {
  if (welcome(request)) {
    upgrade(request, socket, head);
  } else {
    socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit()).resume();
