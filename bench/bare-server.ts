// The floor beside every rate: a server of Node.js alone that sends the same bytes with the same headers, whatever is asked for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = { headers: {} as Record<string, string>, body: Buffer.alloc(0) };
const server = createServer((_request, response) => {
  response.writeHead(200, { ...answer.headers, 'content-length': answer.body.length });
  response.end(answer.body);
});
process.on('message', (next: { headers: Record<string, string>; body: string }) => {
  answer.headers = next.headers;
  answer.body = Buffer.from(next.body, 'base64');
  process.send?.('ready');
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
