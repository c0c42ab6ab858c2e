// The plain pages through a gateway that has the server below a prefix: every link is walked.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startManager } from '../test-support/running-manager.ts';

const prefix = '/cluster-a/rm';

test('plain pages and the description lead to themselves below the prefix of a gateway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-prefix-'));
  const role = await startManager(folder, { 'heddle.rpc.enabled': 'false' });
  const { hostname, port } = new URL(role.addresses['web']!);
  const gateway = createServer((request, response) => {
    if (!request.url!.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const headers = {
      ...request.headers,
      host: `${hostname}:${port}`,
      'x-forwarded-host': request.headers.host,
      'x-forwarded-prefix': prefix,
    };
    ask({ hostname, port, method: request.method, path: request.url!.slice(prefix.length), headers }, (answer) => {
      const { location } = answer.headers;
      // As gateways do with what names the server behind them.
      const turned = location === undefined ? {} : { location: location.replace(`http://${hostname}:${port}/`, `${prefix}/`) };
      response.writeHead(answer.statusCode!, { ...answer.headers, ...turned });
      answer.pipe(response);
    }).end();
  });
  try {
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const submitted = await fetch(`${role.addresses['web']}/api/v1/applications?user.name=ann`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"unmanaged-AM": true}',
    });
    assert.equal(submitted.status, 202);
    const seen = new Set([`${origin}${prefix}/cluster/apps`]);
    for (const url of seen) {
      const response = await fetch(url, { headers: { accept: 'text/html' } });
      assert.ok(response.status < 400, `${url}: ${response.status}`);
      if (url.endsWith('/ui/') || url.includes('/ui/')) continue;
      const links = [...(await response.text()).matchAll(/\b(?:href|src|action)="([^"#]+)"/g)].map(
        ([, link]) => new URL(link!.replaceAll('&amp;', '&'), url),
      );
      for (const { href, protocol } of links) if (protocol === 'http:') seen.add(href);
    }
    assert.ok(seen.size > 10, [...seen].join(' '));
    const description = (await (await fetch(`${origin}${prefix}/openapi.json`)).json()) as { servers: object[] };
    assert.deepEqual(description.servers, [{ url: prefix }]);
    const plain = (await (await fetch(`${role.addresses['web']}/openapi.json`)).json()) as { servers: object[] };
    assert.deepEqual(plain.servers, [{ url: '/' }]);
  } finally {
    gateway.closeAllConnections();
    gateway.close();
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
