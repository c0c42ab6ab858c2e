// Cookies under simple authentication: who has one of another server, of another cluster, or one that he made or changed himself, is nobody by it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CookieSigner, type CookieToken } from '../../src/auth/signer.ts';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { type Answered, send, startCluster, submit } from './harness.ts';

const hour = 3600_000;

/** What a server said was its cookie; empty where it gave none. */
const cookieIn = ({ headers }: Answered): string => /hadoop\.auth="?([^";]*)"?/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
const ask = (url: string, cookie: string, more: Record<string, string> = {}) =>
  send(url, { headers: { ...(cookie === '' ? {} : { Cookie: `hadoop.auth="${cookie}"` }), ...more } });
/** Signs with the secret that the servers of a cluster share. */
const signerOf = ({ dataDir }: ClusterProcesses) => new CookieSigner(readFileSync(join(dataDir, 'secrets/http-cookie')));

describe('a cookie', () => {
  const made = new AsyncDisposableStack();
  /** Names are believed, nobody is served as nobody. */
  let open: ClusterProcesses;
  /** Who has no proof is refused. */
  let closed: ClusterProcesses;
  /** What ann alone may see of the first cluster, by server. */
  let own: Readonly<Record<'resourceManager' | 'nodeManager' | 'timeline', string>>;
  before(async () => {
    const access = { 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss ', 'heddle.node-manager.switch-users': 'false' };
    open = made.use(await startCluster({ settings: access }));
    closed = made.use(
      await startCluster({
        settings: {
          'heddle.node-manager.switch-users': 'false',
          'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
          'hadoop.http.authentication.simple.anonymous.allowed': 'false',
        },
      }),
    );
    const { resourceManager, nodeManager, timeline } = open.urls;
    const { id } = await submit(resourceManager, 'echo a word of ann > <LOG_DIR>/stdout; exec sleep 600', { user: 'ann' });
    own = {
      resourceManager: `${resourceManager}/ws/v1/cluster/userinfo`,
      nodeManager: `${nodeManager}/ws/v1/node/containers/container_${id.slice('application_'.length)}_01_000001/logs/stdout`,
      timeline: `${timeline}/ws/v1/timeline/YARN_APPLICATION/${id}`,
    };
    for (const url of Object.values(own)) await until(url, async () => isAnn(await send(`${url}?user.name=ann`)));
  });
  after(() => made.disposeAsync());

  /** Whether an answer of the first cluster is for ann. */
  const isAnn = ({ status, body }: Answered): boolean =>
    status === 200 && /a word of ann|"requestedUser":"ann"|"YARN_APPLICATION"/.test(body);

  it('counts at servers of its cluster that give such cookies, and at no other', async () => {
    const { resourceManager, nodeManager, timeline, history } = open.urls;
    const kinds = { resourceManager, nodeManager, timeline, history };
    const cookies = new Map<string, string>();
    for (const [name, url] of Object.entries(kinds)) cookies.set(name, cookieIn(await send(`${url}/conf?user.name=ann`)));
    assert.deepEqual(
      [...cookies].map(([name, cookie]) => [name, /&t=([^&]*)/.exec(cookie)?.[1]]),
      [
        ['resourceManager', 'simple-dt'],
        ['nodeManager', 'simple'],
        ['timeline', 'simple-dt'],
        ['history', undefined],
      ],
    );
    for (const [name, url] of Object.entries(own)) {
      assert.ok(!isAnn(await ask(url, '')), `${name} without a cookie`);
      for (const [giver, cookie] of cookies) {
        if (cookie === '') continue;
        const isOfItsKind = (giver === 'nodeManager') === (name === 'nodeManager');
        assert.equal(isAnn(await ask(url, cookie)), isOfItsKind, `${name} with the cookie of ${giver}`);
        // Nor does another name speak louder than the cookie.
        if (isOfItsKind) assert.ok(isAnn(await ask(`${url}?user.name=eve`, cookie)), `${name} with another name beside the cookie`);
      }
    }
  });

  it('of another cluster is none', async () => {
    for (const [name, url] of Object.entries(own)) {
      const type = name === 'nodeManager' ? 'simple' : 'simple-dt';
      const token: CookieToken = { user: 'ann', principal: 'ann', type, expiresMs: Date.now() + hour };
      assert.ok(isAnn(await ask(url, signerOf(open).sign(token))), `${name}: the attack would work with its own secret`);
      assert.ok(!isAnn(await ask(url, signerOf(closed).sign(token))), `${name} believes the cookie of another cluster`);
    }
    const given = cookieIn(await send(`${closed.urls.resourceManager}/conf?user.name=ann`));
    assert.notEqual(given, '');
    assert.ok(!isAnn(await ask(own.nodeManager, given)));
  });

  it('that was altered, is over, or is of another mechanism is refused by every server', async () => {
    const signer = signerOf(closed);
    const token: CookieToken = { user: 'eve', principal: 'eve', type: 'simple', expiresMs: Date.now() + hour };
    const good = signer.sign(token);
    const signature = good.slice(good.lastIndexOf('&s='));
    const altered: Record<string, string> = {
      'another user': good.replace('u=eve', 'u=ann'),
      'another principal': good.replace('p=eve', 'p=ann'),
      'another type': good.replace('t=simple', 't=kerberos'),
      'a later end': good.replace(/e=(\d+)/, 'e=9$1'),
      'a user before the user': `u=ann&${good}`,
      'a user behind the signature': `${good}&u=ann`,
      'a second signature': good + signature,
      'no signature': good.slice(0, -signature.length),
      'an empty signature': `${good.slice(0, -signature.length)}&s=`,
      'a signature without its end': good.slice(0, -1),
      'a signature in capitals': good.replace(signature, signature.toUpperCase().replace('&S=', '&s=')),
      'a signature of other base64': good.replace(/=+$/, ''),
      'a signature by no secret': new CookieSigner(Buffer.alloc(0)).sign({ ...token, user: 'ann', principal: 'ann' }),
      'a signature by what is published': new CookieSigner(Buffer.from('hadoop')).sign({ ...token, user: 'ann', principal: 'ann' }),
      'an end that is over': signer.sign({ ...token, expiresMs: Date.now() - 1 }),
      'an end that is none': signer.sign({ ...token, expiresMs: Number.NaN }),
      'no user': signer.sign({ ...token, user: '' }),
      'a cookie of tickets': signer.sign({ ...token, type: 'kerberos' }),
      'a cookie of tokens': signer.sign({ ...token, type: 'simple-dt' }),
      'no type': signer.sign({ ...token, type: '' }),
    };
    const { resourceManager, nodeManager, history } = closed.urls;
    for (const server of [resourceManager, nodeManager, history]) {
      assert.equal((await ask(`${server}/conf`, '')).status, 401, server);
      assert.equal((await ask(`${server}/conf`, good)).status, 200, server);
      for (const [what, cookie] of Object.entries(altered)) {
        const { status, headers } = await ask(`${server}/conf`, cookie);
        assert.deepEqual([status, headers['set-cookie']], [401, 'hadoop.auth=; Path=/; HttpOnly'], `${server} ${what}`);
      }
      // Of two cookies of one name the first one counts, as on Hadoop, and no good one behind it makes it better.
      const two = (...cookies: readonly string[]) =>
        send(`${server}/conf`, { headers: { Cookie: cookies.map((cookie) => `hadoop.auth="${cookie}"`).join('; ') } });
      assert.equal((await two(altered['another user'] ?? '', good)).status, 401, `${server}: an altered cookie, then a good one`);
      assert.equal((await two(good, altered['another user'] ?? '')).status, 200, `${server}: a good cookie, then an altered one`);
    }
  });
});
