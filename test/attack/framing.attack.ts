// Requests that two servers in a row could take for different ones (request smuggling, RFC 9112 section 11.2), at every server of a cluster: what
// stands behind the first one is never answered.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { startCluster } from './harness.ts';

/** What a server says to these bytes until it closes the connection, or says nothing for a while. */
function answersTo(port: number, bytes: string): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    const end = (isClosed: boolean) => {
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.setEncoding('latin1').setTimeout(5_000, () => end(false));
    socket.on('data', (piece: string) => (text += piece));
    socket.on('close', () => end(true)).on('error', () => end(true));
  });
}

const framings: Readonly<Record<string, string>> = {
  'a length and chunks': 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'two lengths': 'Content-Length: 0\r\nContent-Length: 5\r\n\r\n',
  'a list of lengths': 'Content-Length: 0, 5\r\n\r\n',
  'a length with a sign': 'Content-Length: +0\r\n\r\n',
  'a length below nothing': 'Content-Length: -1\r\n\r\n',
  'an unknown coding': 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'a coding after chunks': 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'two lines of codings': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
  'a blank before the colon': 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'a folded line': 'X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n',
  'a chunk of more than can be counted': 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n',
  'a chunk with an endless extension': `Transfer-Encoding: chunked\r\n\r\n0;${'a'.repeat(50_000)}\r\n\r\n`,
  'a control character': 'X: a\u0000b\r\nContent-Length: 0\r\n\r\n',
  'a second host': 'Host: elsewhere\r\nContent-Length: 0\r\n\r\n',
};

describe('a request whose end is in doubt', () => {
  let cluster: ClusterProcesses;
  before(async () => {
    cluster = await startCluster({});
  });
  after(() => cluster[Symbol.asyncDispose]());

  it('is refused by every server, with all that comes behind it', async () => {
    for (const [server, url] of Object.entries(cluster.urls).filter(([name]) => name !== 'reader')) {
      const port = Number(new URL(url).port);
      const head = `Host: 127.0.0.1:${port}\r\n`;
      const behind = `GET /ready HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
      const plain = await answersTo(port, behind);
      assert.match(plain.text, /^HTTP\/1\.1 200 /, `${server}: what stands behind is answered where it stands alone`);
      await Promise.all(
        Object.entries(framings).map(async ([name, rest]) => {
          const { text, isClosed } = await answersTo(port, `POST /ready HTTP/1.1\r\n${head}${rest}${behind}`);
          const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
          assert.deepEqual([statuses, isClosed], [['400'], true], `${server}: ${name}`);
        }),
      );
    }
  });
});
