// Attacks on a cluster whose callers need tickets, and what its tokens live through, with a real realm.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Gss } from '../../src/auth/kerberos/gss.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { startProcesses, writeSettings } from '../support/processes.ts';
import { type RealmCluster, serversOf, startRealmCluster, ticketSettings } from './cluster.ts';

let stand: RealmCluster;
before(async () => {
  stand = await startRealmCluster(() => ({ 'hadoop.proxyuser.proxy.hosts': '*', 'hadoop.proxyuser.proxy.users': 'ann' }));
});
after(() => stand?.[Symbol.asyncDispose]());

/** A fresh token of a user for a service of this host, base64. */
async function ticket(user: string, service = 'HTTP'): Promise<string> {
  stand.realm.login(user);
  const gss = new Gss({ initiatorKeytab: join(stand.realm.home, 'keytabs', `${user}.keytab`), clock: systemClock, logger: silentLogger });
  try {
    return await gss.initiate(`${service}@localhost`);
  } finally {
    gss.close();
  }
}

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET', body?: unknown): Promise<Asked> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
const byTicket = async (user: string) => ({ authorization: `Negotiate ${await ticket(user)}` });
const tokenPath = () => `${stand.cluster.urls.resourceManager}/ws/v1/cluster/delegation-token`;

describe('a ticket', () => {
  it('counts once: whoever saw it go by does not get in', async () => {
    const authorization = `Negotiate ${await ticket('ann')}`;
    const [url = ''] = Object.values(serversOf(stand.cluster));
    assert.equal((await ask(url, { authorization })).status, 200);
    for (const server of Object.values(serversOf(stand.cluster))) {
      const again = await ask(server, { authorization });
      assert.deepEqual([again.status, again.headers.get('www-authenticate')], [403, null], server);
      assert.match(again.text, /replay/i, server);
    }
  });

  it('for another service of the host is refused, and so is one that was changed', async () => {
    const url = serversOf(stand.cluster)['resourceManager'] ?? '';
    const other = await ask(url, { authorization: `Negotiate ${await ticket('ann', 'host')}` });
    assert.deepEqual([other.status, /it is for host\/localhost@HEDDLE\.TEST/.test(other.text)], [403, true], other.text);
    const bytes = Buffer.from(await ticket('ann'), 'base64');
    bytes[bytes.length - 20]! ^= 1;
    assert.equal((await ask(url, { authorization: `Negotiate ${bytes.toString('base64')}` })).status, 403);
  });

  it('that is none harms nobody: the server goes on', async () => {
    const url = serversOf(stand.cluster)['resourceManager'] ?? '';
    const texts = [
      'AA==',
      'YIIB',
      'TlRMTVNTUAABAAAA',
      Buffer.alloc(8000, 0x60).toString('base64'),
      Buffer.alloc(5000, 0xff).toString('base64'),
    ];
    for (const text of texts) assert.equal((await ask(url, { authorization: `Negotiate ${text}` })).status, 403, text.slice(0, 20));
    assert.equal((await ask(url, await byTicket('ann'))).status, 200);
  });
});

describe('acting for others', () => {
  it('is for proxy users and their users alone', async () => {
    const url = `${stand.cluster.urls.resourceManager}/ws/v1/cluster/apps/new-application?doAs=`;
    assert.equal((await ask(`${url}ann`, await byTicket('proxy'), 'POST')).status, 200);
    for (const [user, target] of [
      ['proxy', 'root'],
      ['ann', 'proxy'],
    ] as const)
      assert.equal((await ask(url + target, await byTicket(user), 'POST')).status, 403, `${user} for ${target}`);
  });
});

describe('a delegation token', () => {
  it('stands for its owner without a ticket, on its own server, through kill -9, until it is cancelled', async () => {
    const { cluster } = stand;
    const apps = `${cluster.urls.resourceManager}/ws/v1/cluster/apps`;
    const issued = JSON.parse((await ask(tokenPath(), await byTicket('ann'), 'POST', { renewer: 'bob' })).text) as {
      token: string;
      owner: string;
    };
    assert.equal(issued.owner, 'ann@HEDDLE.TEST');
    assert.equal((await ask(`${apps}?delegation=${issued.token}`)).status, 200);
    assert.equal((await ask(`${cluster.urls.timeline}/ws/v1/timeline/none?delegation=${issued.token}`)).status, 403);
    assert.equal((await ask(`${apps}?op=GETDELEGATIONTOKEN&delegation=${issued.token}`)).status, 401);
    await cluster.stop('up', 'SIGKILL');
    await cluster.start('up');
    assert.equal((await ask(apps, { 'x-hadoop-delegation-token': issued.token })).status, 200);
    const named = { 'hadoop-yarn-rm-delegation-token': issued.token };
    assert.equal((await ask(`${tokenPath()}/expiration`, { ...(await byTicket('ann')), ...named }, 'POST')).status, 403);
    assert.equal((await ask(`${tokenPath()}/expiration`, { ...(await byTicket('bob')), ...named }, 'POST')).status, 200);
    assert.equal((await ask(tokenPath(), { ...(await byTicket('eve')), ...named }, 'DELETE')).status, 403);
    assert.equal((await ask(tokenPath(), { ...(await byTicket('bob')), ...named }, 'DELETE')).status, 200);
    assert.equal((await ask(`${apps}?delegation=${issued.token}`)).status, 403);
  });
});

describe('what simple authentication gave', () => {
  it('ends when callers come to need tickets: tokens and cookies, also one that says it is of Kerberos', async () => {
    await using cluster = await startProcesses();
    const { resourceManager, timeline } = cluster.urls;
    const paths = [`${resourceManager}/ws/v1/cluster/apps`, `${timeline}/ws/v1/timeline/none`];
    const given = await Promise.all(
      paths.map(async (url) => {
        const { Token } = JSON.parse((await ask(`${url}?op=GETDELEGATIONTOKEN&user.name=boss`)).text) as { Token: { urlString: string } };
        const cookie = (await ask(`${url}?user.name=boss`)).headers.get('set-cookie')?.split(';')[0] ?? '';
        return { url, token: Token.urlString, cookie };
      }),
    );
    for (const { url, token, cookie } of given) {
      assert.equal((await ask(`${url}?delegation=${token}`)).status, 200);
      assert.equal((await ask(url, { cookie })).status, 200);
    }
    await cluster.stop('up', 'SIGTERM');
    const keytab = join(stand.realm.home, 'keytabs/service.keytab');
    const file = join(cluster.confDir, 'yarn-site.xml');
    const ports = Object.fromEntries(
      [...readFileSync(file, 'utf8').matchAll(/<name>([^<]*)<\/name><value>([^<]*)</g)].map(([, name, value]) => [name!, value!]),
    );
    writeSettings(file, { ...ports, ...ticketSettings(keytab, stand.realm.name) });
    await cluster.start('up');
    const secret = Buffer.from(readFileSync(join(cluster.dataDir, 'secrets/http-cookie'), 'utf8').trim(), 'base64');
    const forged = `u=boss&p=boss&t=kerberos&e=${Date.now() + 60_000}`;
    for (const { url, token, cookie } of given) {
      assert.equal((await ask(`${url}?delegation=${token}`)).status, 403, url);
      assert.equal((await ask(url, { cookie })).status, 401, url);
      assert.match((await ask(url, { cookie })).text, /Invalid AuthenticationToken type/);
      const signed = `hadoop.auth="${forged}&s=${createHmac('sha256', secret).update(forged).digest('base64')}"`;
      assert.equal((await ask(url, { cookie: signed })).status, 401, 'not the type of a server that knows tokens');
    }
  });
});

describe('a server', () => {
  it('that lacks something of Kerberos says what, and does not start', async () => {
    const { realm } = stand;
    const empty = realm.keytab('other.keytab', 'host/localhost');
    const complete = ticketSettings(join(realm.home, 'keytabs/service.keytab'), realm.name);
    for (const [changes, message] of [
      [{ 'hadoop.http.authentication.kerberos.keytab': '/nonexistent/keytab' }, /the keytab cannot be read: ENOENT/],
      [{ 'hadoop.http.authentication.kerberos.keytab': empty }, /has no key of HTTP\/localhost@HEDDLE\.TEST: it has none of HTTP\/…/],
      [
        { 'hadoop.http.authentication.kerberos.principal': 'HTTP/_HOST@HEDDLE.TEST' },
        /has no key of HTTP\/127\.0\.0\.1@HEDDLE\.TEST: it has those of HTTP\/localhost/,
      ],
      [{ 'hadoop.security.auth_to_local': 'RULE:nonsense' }, /auth_to_local: "RULE:nonsense" does not begin with a rule/],
      [
        { 'hadoop.http.filter.initializers': '' },
        /hadoop\.security\.authentication: it asks for Kerberos, but callers of the web interfaces would be believed/,
      ],
    ] as const) {
      await using cluster = await startProcesses({ mode: 'none', settings: { ...complete, ...changes } });
      const { code, output } = await cluster.heddle('start', 'history');
      assert.notEqual(code, 0);
      assert.match(output, message);
    }
  });
});
