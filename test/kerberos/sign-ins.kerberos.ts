// Who shows a ticket, or what a ticket once gave, and is refused: one line in the audit log of the server that was asked, and never what was shown.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CookieSigner } from '../../src/auth/signer.ts';
import { RefusedCall, RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import { until } from '../support/processes.ts';
import { type RealmCluster, rpcAddresses, rpcKeytabs, rpcPrincipals, serversOf, startRealmCluster } from './cluster.ts';

interface Line {
  readonly audit?: boolean;
  readonly address?: string;
  readonly mechanism?: string;
  readonly reason?: string;
}

let stand: RealmCluster;
before(async () => {
  const addresses = await rpcAddresses();
  stand = await startRealmCluster((realm) => ({ ...addresses, ...rpcPrincipals(realm), ...rpcKeytabs(realm) }));
});
after(() => stand?.[Symbol.asyncDispose]());

/** All servers write into one log. */
const written = (): readonly string[] =>
  stand.cluster
    .output('up')
    .split('\n')
    .filter((line) => line.startsWith('{') && (JSON.parse(line) as Line).audit === true);

/** Makes the attempt, and holds that the server wrote one line of it. */
async function leavesOneLine(
  server: string,
  { mechanism, reason, secret }: { readonly mechanism: string; readonly reason: RegExp; readonly secret: string },
  attempt: () => Promise<void>,
): Promise<void> {
  const before = written().length;
  await attempt();
  await until(`a line of ${server}`, async () => written().length > before, 10_000);
  const lines = written().slice(before);
  assert.equal(lines.length, 1, lines.join('\n'));
  const { address = '', mechanism: by, reason: why = '' } = JSON.parse(lines[0]!) as Line;
  assert.match(address, /127\.0\.0\.1$|::1$/, server);
  assert.deepEqual(by, mechanism, server);
  assert.match(why, reason, server);
  assert.ok(!stand.cluster.output('up').includes(secret), server);
}

describe('the audit log of every server', () => {
  it('has a ticket that is none', async () => {
    const secret = Buffer.from('a ticket that nobody gave').toString('base64');
    for (const [server, url] of Object.entries(serversOf(stand.cluster)))
      await leavesOneLine(server, { mechanism: 'kerberos', reason: /^The Kerberos ticket was refused: /, secret }, async () => {
        const { status } = await fetch(url, { headers: { authorization: `Negotiate ${secret}` } });
        assert.equal(status, 403, server);
      });
  });

  it('has a cookie that was forged, and one that is over, also of who asks for a delegation token with it', async () => {
    const own = readFileSync(join(stand.cluster.dataDir, 'secrets/http-cookie'));
    const token = { user: 'ann', principal: 'ann@HEDDLE.TEST', type: 'kerberos-dt' };
    const forged = new CookieSigner(Buffer.alloc(32, 'x')).sign({ ...token, expiresMs: Date.now() + 60_000 });
    const over = new CookieSigner(own).sign({ ...token, expiresMs: 1 });
    for (const [server, url] of Object.entries(serversOf(stand.cluster)))
      for (const [cookie, reason] of [
        [forged, /Invalid signature$/],
        [over, /expired$/],
      ] as const)
        await leavesOneLine(server, { mechanism: 'cookie', reason, secret: cookie.slice(-20) }, async () => {
          const { status } = await fetch(url, { headers: { cookie: `hadoop.auth="${cookie}"` } });
          assert.equal(status, 401, server);
        });
    const { resourceManager = '' } = serversOf(stand.cluster);
    await leavesOneLine('resourceManager', { mechanism: 'cookie', reason: /Invalid signature$/, secret: forged.slice(-20) }, async () => {
      const { status } = await fetch(`${resourceManager}?op=GETDELEGATIONTOKEN`, { headers: { cookie: `hadoop.auth="${forged}"` } });
      assert.equal(status, 401);
    });
  });

  it('has nothing of who asks for the challenge', async () => {
    for (const [server, url] of Object.entries(serversOf(stand.cluster))) {
      const before = written().length;
      assert.equal((await fetch(url)).status, 401, server);
      assert.equal(written().length, before, server);
    }
  });

  it('has a login to a port of Hadoop RPC by a ticket that is none, and by a mere name', async () => {
    for (const [server, key] of [
      ['resourceManager', 'yarn.resourcemanager.address'],
      ['history', 'mapreduce.jobhistory.address'],
    ] as const) {
      const first = Buffer.from('a ticket that nobody gave');
      await leavesOneLine(
        server,
        { mechanism: 'rpc-kerberos', reason: /GSS initiate failed/, secret: first.toString('base64') },
        async () => {
          using client = new RpcTestClient(stand.settings[key]!);
          await assert.rejects(client.loginByTicket({ first, choose: (offer) => offer, layer: undefined }), RefusedCall);
        },
      );
      await leavesOneLine(
        server,
        { mechanism: 'rpc-simple', reason: /SIMPLE authentication is not enabled/, secret: 'none of it' },
        async () => {
          using client = RpcTestClient.named(stand.settings[key]!, 'ann', 'any');
          await client.closed;
        },
      );
    }
  });
});
