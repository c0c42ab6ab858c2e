import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stageFile } from './staging-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'staging-client-'));
after(() => rmSync(folder, { recursive: true }));

test('a file arrives whole with its length and sum, also an empty one; a refusal in the middle of it is told', async () => {
  const received: { path: string; bytes: number; announced: string | undefined; isSum: boolean }[] = [];
  const server = createServer(async (request, response) => {
    if (request.url?.includes('/refused')) {
      const body = { RemoteException: { exception: 'X', message: 'too much', javaClassName: 'X' } };
      return response.writeHead(413, { connection: 'close', 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of request) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
    const isSum = request.headers['content-digest'] === `sha-256=:${hash.digest('base64')}:`;
    received.push({ path: request.url ?? '', bytes, announced: request.headers['content-length'], isSum });
    return response.writeHead(201).end(JSON.stringify({ uri: 'staging:/x', bytes, sha256: '' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cluster = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, user: 'ada' };
  const path = join(folder, 'file');
  const at = (name: string) => ({ applicationId: 'application_1_0001', name });
  for (const length of [0, 1, 3_000_000]) {
    writeFileSync(path, Buffer.alloc(length, 'abc'));
    assert.equal((await stageFile(cluster, at('a b'), path)).bytes, length);
    const expected = {
      path: '/api/v1/staging/ada/application_1_0001/a%20b?user.name=ada',
      bytes: length,
      announced: `${length}`,
      isSum: true,
    };
    assert.deepEqual(received.pop(), expected);
  }
  await assert.rejects(stageFile(cluster, at('refused'), path), { name: 'RemoteFailure', status: 413, message: 'too much' });
  await assert.rejects(stageFile(cluster, at('x'), join(folder, 'none')), { code: 'ENOENT' });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(stageFile(cluster, at('x'), path), { name: 'Unreachable' });
});
