// Where a port of Hadoop RPC listens, as the settings say, and what the audit log hears of logins.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import type { AuditLog } from '../auth/audit-log.ts';
import { loadConfiguration } from '../config/load.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { ConfigurationError } from '../config/table.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { openPort } from './open-port.ts';
import type { RpcServer } from './server.ts';
import { RpcTestClient } from './test-support/rpc-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'open-port-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));
const servers: RpcServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Refused = Parameters<AuditLog['refusedRequest']>[0];
const { key } = nodeManagerSettings.address;

async function open(set: Record<string, string>, formerPort?: number, heard: Refused[] = []): Promise<RpcServer | undefined> {
  const server = await openPort(
    loadConfiguration({ dataDir, set }),
    { entry: nodeManagerSettings.address, bindHost: '127.0.0.1', formerPort },
    {
      name: 'a protocol',
      protocols: () => Promise.resolve([]),
      authentication: { tokens: { passwordOf: () => Buffer.alloc(20), userOf: () => ({ user: 'attempt' }) } },
      audit: { refusedRequest: (refused) => void heard.push(refused) },
      random: seededRandom(1),
      logger: silentLogger,
    },
  );
  if (server) servers.push(server);
  return server;
}

describe('a port of Hadoop RPC', () => {
  it('is closed where it is turned off, and does not open where a protection is asked for that there is none of', async () => {
    assert.equal(await open({ 'heddle.rpc.enabled': 'false' }), undefined);
    await assert.rejects(open({ 'hadoop.rpc.protection': 'authentication,secrecy' }), ConfigurationError);
  });

  it('is a free one where the settings leave it to the machine, and the one of before where that is free', async () => {
    const first = await open({ [key]: '127.0.0.1:0' });
    const other = await open({ [key]: '127.0.0.1:0' }, first!.port);
    assert.notEqual(other!.port, first!.port);
    await first!.close();
    assert.equal((await open({ [key]: '127.0.0.1:0' }, first!.port))!.port, first!.port);
  });

  it('is refused where it was set and is in use', async () => {
    const { port } = (await open({ [key]: '127.0.0.1:0' }))!;
    await assert.rejects(open({ [key]: `127.0.0.1:${port}` }), { code: 'EADDRINUSE' });
  });

  it('tells the audit log of logins that were refused', async () => {
    const heard: Refused[] = [];
    const { host, port } = (await open({ [key]: '127.0.0.1:0' }, undefined, heard))!;
    using client = RpcTestClient.named(`${host}:${port}`, 'ann', 'any');
    await client.closed;
    assert.deepEqual(
      heard.map(({ method, path, remoteAddress, failure }) => [method, path, remoteAddress, failure.code]),
      [['login', 'a protocol', '127.0.0.1', 'RPC_LOGIN_REFUSED']],
    );
  });
});
