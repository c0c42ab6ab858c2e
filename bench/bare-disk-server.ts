// The floor of a durable submission: a server of Node.js alone that gives numbers as ids and answers a submission when its body is on the
// disk. What arrives while one write is under way goes with the next, all of it at once.
import { fdatasync, mkdtempSync, openSync, rmSync, write } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'bench-disk-'));
const file = openSync(join(folder, 'submissions'), 'a');
let ids = 0;
let waiting: { readonly body: Buffer; readonly response: ServerResponse }[] = [];
let isWriting = false;

function writeAll(): void {
  if (isWriting || waiting.length === 0) return;
  isWriting = true;
  const now = waiting;
  waiting = [];
  const done = (error: Error | null) => {
    if (error) throw error;
    isWriting = false;
    for (const { response } of now) response.writeHead(202).end();
    writeAll();
  };
  write(file, Buffer.concat(now.map(({ body }) => body)), (error) => (error ? done(error) : fdatasync(file, done)));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (request.url?.includes('/new-application')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"application-id":"${++ids}"}`);
      return;
    }
    waiting.push({ body: Buffer.concat(parts), response });
    writeAll();
  });
});
process.once('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
