// A cluster that believed names and asks for proofs from now on: nothing that somebody made while they only named themselves goes on counting.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until, writeSettings } from '../support/processes.ts';
import { aServer, send, startCluster, submit } from './harness.ts';

const json = { 'Content-Type': 'application/json' };
const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('who named themselves root while names were believed', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let receiver: Awaited<ReturnType<typeof aServer>>;
  /** By name, by a delegation token that was got by name, and by a bearer token that was made by name. */
  const tokens: string[] = [];
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    send(`${cluster.urls.resourceManager}${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const operator = async (...words: string[]) => {
    const { code, output } = await cluster.heddle(...words);
    assert.equal(code, 0, output);
    return output;
  };
  before(async () => {
    receiver = made.use(await aServer((_request, response) => void response.end()));
    const settings = { 'heddle.node-manager.switch-users': 'false', 'heddle.webhooks.allowed-hosts': '127.0.0.1' };
    cluster = made.use(await startCluster({ settings }));
  });
  after(() => made.disposeAsync());

  it('made themselves tokens, a schedule and a webhook; a delegation token makes none of them', async () => {
    const { resourceManager } = cluster.urls;
    const got = await send(`${resourceManager}/ws/v1/cluster/userinfo?op=GETDELEGATIONTOKEN&user.name=root`);
    const delegation = { 'X-Hadoop-Delegation-Token': (JSON.parse(got.body) as { Token: { urlString: string } }).Token.urlString };
    const wishes = {
      '/api/v1/tokens': { name: 'kept', scope: 'admin' },
      '/api/v1/schedules': { name: 'kept', cron: '0 0 1 1 *', submission: { run: { command: ['true'] } } },
      '/api/v1/webhooks': { url: `http://127.0.0.1:${receiver.port}/`, kinds: ['application.created'] },
    };
    for (const [path, wish] of Object.entries(wishes)) {
      assert.equal((await post(path, wish, delegation)).status, 403, `${path} by a delegation token`);
      const { status, body } = await post(`${path}?user.name=root`, wish);
      assert.equal(status, 201, body);
      if (path.endsWith('tokens')) tokens.push((JSON.parse(body) as { text: string }).text);
    }
    const again = await post('/api/v1/tokens', { name: 'again', scope: 'admin' }, bearing(tokens[0]!));
    assert.equal(again.status, 201, again.body);
    tokens.push((JSON.parse(again.body) as { text: string }).text);
    assert.equal((await post('/api/v1/schedules/root/kept/run?user.name=root', {})).status, 200);
    await until('the webhook to hear of it', async () => receiver.asked.length > 0);
  });

  it('has nothing of it when the cluster asks for proofs', async () => {
    await cluster.stop('up', 'SIGTERM');
    const file = join(cluster.confDir, 'mapred-site.xml');
    writeSettings(file, { 'heddle.security.authentication': 'bearer' });
    await cluster.start('up');
    const { resourceManager } = cluster.urls;
    for (const token of tokens)
      assert.equal((await send(`${resourceManager}/ws/v1/cluster/apps`, { headers: bearing(token) })).status, 401);
    const heard = receiver.asked.length;
    const told = await cluster.heddle('schedule', 'run', 'kept', '--user', 'root');
    assert.equal(told.code, 1, told.output);
    const proven = (await operator('token', 'create', 'proven', '--user', 'root', '--scope', 'admin')).match(/heddle_\S+/)![0];
    const hook = await post(
      '/api/v1/webhooks',
      { url: `http://127.0.0.1:${receiver.port}/proven`, kinds: ['application.created'] },
      bearing(proven),
    );
    assert.equal(hook.status, 201, hook.body);
    assert.equal((await submit(resourceManager, 'true', { headers: bearing(proven) })).status, 202);
    await until('the webhook of a proven user to hear of it', async () => receiver.asked.includes('POST /proven'));
    assert.deepEqual(
      receiver.asked.slice(heard).filter((asked) => asked !== 'POST /proven'),
      [],
    );
  });
});
