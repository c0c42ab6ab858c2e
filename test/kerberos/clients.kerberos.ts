// Hadoop's clients at a cluster whose callers need tickets, with a real realm: in with a ticket, out without.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { classPath, python, type RealmCluster, serversOf, startRealmCluster, withTickets } from './cluster.ts';

let stand: RealmCluster;
let ann: string;
before(async () => {
  stand = await startRealmCluster();
  ann = stand.realm.login('ann');
});
after(() => stand?.[Symbol.asyncDispose]());

/** Status and headers that curl gets. */
async function curl(cache: string | undefined, ...args: string[]): Promise<{ status: number; head: string }> {
  const { output } = await withTickets(cache, 'curl', '-s', '-i', '--max-time', '30', ...args);
  const heads = output.split('\r\n\r\n').filter((part) => part.startsWith('HTTP/'));
  const head = heads.at(-1) ?? '';
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head };
}
const byTicket = ['--negotiate', '-u', ':'];

describe('curl --negotiate', () => {
  it('gets in on every server with a ticket, which the server answers, and stays in by the cookie', async () => {
    for (const [server, url] of Object.entries(serversOf(stand.cluster))) {
      const { status, head } = await curl(ann, ...byTicket, url);
      assert.equal(status, 200, `${server}: ${head}`);
      assert.match(head, /^WWW-Authenticate: Negotiate \S{20,}/im, server);
      const [, cookie = ''] = /^Set-Cookie: (hadoop\.auth="u=ann&p=ann@HEDDLE\.TEST&t=kerberos[^;]*)/im.exec(head) ?? [];
      assert.equal((await curl(undefined, '-H', `Cookie: ${cookie}`, url)).status, 200, `${server}: ${cookie}`);
      assert.equal((await curl(undefined, '-H', `Cookie: ${cookie.replace('ann', 'eve')}`, url)).status, 401, server);
    }
  });

  it('is asked for a ticket without one, whatever name it gives', async () => {
    for (const [server, url] of Object.entries(serversOf(stand.cluster)))
      for (const address of [url, `${url}?user.name=root`, `${url}?doAs=root`]) {
        const { status, head } = await curl(undefined, ...byTicket, address);
        assert.equal(status, 401, server);
        assert.match(head, /^WWW-Authenticate: Negotiate\r?$/im, server);
      }
  });

  it('brings a cookie that counts at servers of the same kind alone', async () => {
    const { nodeManager = '', history = '', resourceManager = '' } = serversOf(stand.cluster);
    const { head } = await curl(ann, ...byTicket, nodeManager);
    const [, cookie = ''] = /^Set-Cookie: (hadoop\.auth=[^;]*)/im.exec(head) ?? [];
    assert.equal((await curl(undefined, '-H', `Cookie: ${cookie}`, history)).status, 200, 'they share the secret of the settings');
    const { status, head: refusal } = await curl(undefined, '-H', `Cookie: ${cookie}`, resourceManager);
    assert.equal(status, 401);
    assert.match(refusal, /^Set-Cookie: hadoop\.auth=; /im);
  });
});

describe('a command of heddle', () => {
  const main = join(import.meta.dirname, '../../src/main.ts');
  /** As another user than the one who runs the cluster: it has neither its data folder nor its secrets. */
  const heddle = (cache: string | undefined, command: readonly string[], ...args: string[]) => {
    const flags = ['--conf', stand.cluster.confDir, '--data', join(stand.realm.home, 'elsewhere')];
    return withTickets(cache, process.execPath, main, ...command, ...flags, ...args);
  };

  it('takes the ticket of its user, and says what to do without one', async () => {
    const run = await heddle(ann, ['run'], '--user', 'ann', '--', 'echo', 'hello from a ticket');
    assert.deepEqual([run.code, run.output.includes('hello from a ticket')], [0, true], run.output);
    const listed = await heddle(ann, ['app', 'list']);
    assert.equal(listed.code, 0, listed.output);
    const without = await heddle(undefined, ['app', 'list']);
    assert.notEqual(without.code, 0);
    assert.match(without.output, /no Kerberos ticket for HTTP@localhost: .*kinit/s);
  });
});

describe("Hadoop's AuthenticatedURL", {
  skip: classPath === undefined && 'it needs java and mvn (scripts/install-kerberos-clients.sh)',
}, () => {
  const ask = (cache: string | undefined, ...urls: string[]) =>
    withTickets(
      cache,
      'java',
      `-Djava.security.krb5.conf=${stand.realm.configuration}`,
      '-Djavax.security.auth.useSubjectCredsOnly=false',
      '-cp',
      classPath ?? '',
      join(import.meta.dirname, 'java/Ask.java'),
      ...urls,
    );

  it('gets in on every server with a ticket and not without', async () => {
    const urls = Object.values(serversOf(stand.cluster));
    const { output } = await ask(ann.replace('FILE:', ''), ...urls);
    const lines = output.split('\n').filter((line) => /^(\d+ |refused)/.test(line));
    assert.deepEqual(
      lines.map((line) => /^200 u=ann&p=ann@HEDDLE\.TEST&t=kerberos/.test(line)),
      urls.map(() => true),
      output,
    );
    const { output: without } = await ask('/nonexistent/cache', ...urls);
    assert.equal(without.split('refused: AuthenticationException').length - 1, urls.length, without);
  });
});

describe('requests-kerberos', { skip: python === undefined && 'it needs python3 (scripts/install-kerberos-clients.sh)' }, () => {
  const ask = (cache: string | undefined, ...urls: string[]) =>
    withTickets(cache, python ?? '', join(import.meta.dirname, 'ask.py'), ...urls);

  it('gets in on every server with a ticket, when the server proves itself too, and not without', async () => {
    const urls = Object.values(serversOf(stand.cluster));
    assert.equal((await ask(ann, ...urls)).output, urls.map(() => '200\n').join(''));
    const { output } = await ask(undefined, ...urls);
    assert.doesNotMatch(output, /^200$/m);
    assert.equal(output.split('\n').filter((line) => line.startsWith('401') || line.startsWith('refused')).length, urls.length, output);
  });
});
