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
import { RpcPortFigures } from '../lib/rpc-figures.ts';
import { message } from '../wire/rpc/message.ts';
import { openPort } from './open-port.ts';
import { type RpcProtocol, serveProtocol } from './protocol.ts';
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

interface Opened {
  readonly formerPort?: number;
  readonly heard?: Refused[];
  readonly protocols?: readonly RpcProtocol[];
}

async function open(
  set: Record<string, string>,
  { formerPort = 0, heard = [], protocols = [] }: Opened = {},
): Promise<RpcServer | undefined> {
  const server = await openPort(
    loadConfiguration({ dataDir, set }),
    { entry: nodeManagerSettings.address, bindHost: undefined, threads: 1, formerPort },
    {
      name: 'a protocol',
      figures: new RpcPortFigures('a protocol'),
      protocols: () => Promise.resolve(protocols),
      authentication:
        protocols.length > 0
          ? { simple: { mayImpersonate: () => false } }
          : { tokens: { passwordOf: () => Buffer.alloc(20), userOf: () => ({ user: 'attempt' }) } },
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
    const other = await open({ [key]: '127.0.0.1:0' }, { formerPort: first!.port });
    assert.notEqual(other!.port, first!.port);
    await first!.close();
    assert.equal((await open({ [key]: '127.0.0.1:0' }, { formerPort: first!.port }))!.port, first!.port);
  });

  it('is refused where it was set and is in use', async () => {
    const { port } = (await open({ [key]: '127.0.0.1:0' }))!;
    await assert.rejects(open({ [key]: `127.0.0.1:${port}` }), { code: 'EADDRINUSE' });
  });

  it('is full with a call for its thread and those that may wait for it; then the setting of its number says what becomes of more, or that of all', async () => {
    const nothing = message('test.Nothing', {});
    const calls = { name: 'test.Calls', version: 1, methods: { wait: [nothing, nothing] } } as const;
    let under = 0;
    const wait = (): Promise<never> => {
      under++;
      return new Promise(() => undefined);
    };
    const never = serveProtocol(calls, { wait }, () => undefined);
    for (const [address, more, isRefused] of [
      ['127.0.0.1:0', { 'ipc.backoff.enable': 'true' }, true],
      ['127.45.45.4:45454', { 'ipc.backoff.enable': 'true', 'ipc.45454.backoff.enable': 'false' }, false],
      ['127.45.45.4:45454', { 'ipc.45454.backoff.enable': 'true' }, true],
    ] as const) {
      under = 0;
      const set = { [key]: address, 'ipc.server.handler.queue.size': '2', ...more };
      const { host, port } = (await open(set, { protocols: [never] }))!;
      using client = RpcTestClient.named(`${host}:${port}`, 'ann', calls.name);
      for (let call = 0; call < 4; call++) client.begin(calls, 'wait', nothing, {});
      const reply = isRefused ? await client.reply() : undefined;
      while (under < 3) await new Promise(setImmediate);
      assert.deepEqual([under, reply?.header.errorMsg], [3, isRefused ? 'Server too busy - disconnecting' : undefined]);
      await servers.pop()!.close();
    }
  });

  it('tells the audit log of logins that were refused', async () => {
    const heard: Refused[] = [];
    const { host, port } = (await open({ [key]: '127.0.0.1:0' }, { heard }))!;
    using client = RpcTestClient.named(`${host}:${port}`, 'ann', 'any');
    await client.closed;
    assert.deepEqual(
      heard.map(({ method, path, remoteAddress, failure }) => [method, path, remoteAddress, failure.code]),
      [['login', 'a protocol', '127.0.0.1', 'RPC_LOGIN_REFUSED']],
    );
  });
});
