// Sentences of docs/operate/security.md that need a running cluster to hold.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

describe('what the page about security says of a running cluster', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const apps = () => `${cluster.urls.resourceManager}/ws/v1/cluster/apps`;
  const newId = async (user: string): Promise<string> => {
    const answer = await fetch(`${apps()}/new-application?user.name=${user}`, { method: 'POST' });
    return ((await answer.json()) as { 'application-id': string })['application-id'];
  };
  const submit = async (id: string, user: string, context: object) => {
    const body = JSON.stringify({
      ...{ 'application-id': id, 'application-name': `of ${user}`, 'max-app-attempts': 1, resource: { memory: 128, vCores: 1 } },
      ...context,
    });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${apps()}?user.name=${user}`, { method: 'POST', headers, body })).status;
  };

  it("another's submission of the same id is answered 202 and changes nothing", async () => {
    const id = await newId('ann');
    const unmanaged = { 'unmanaged-AM': true, 'am-container-spec': { commands: { command: 'true' } } };
    assert.equal(await submit(id, 'bob', unmanaged), 202, 'whoever submits first has it');
    const app = async () => (await cluster.get<{ app: { user: string; name: string } }>(`${apps()}/${id}`, 'bob')).app;
    const { user, name } = await app();
    assert.deepEqual([user, name], ['bob', 'of bob']);
    assert.equal(await submit(id, 'ann', unmanaged), 202);
    const again = await app();
    assert.deepEqual([again.user, again.name], ['bob', 'of bob']);
  });

  it('the token of a master is a file of mode 0600 in its folder, and stands neither in its environment nor in its script', async () => {
    const id = await newId('ann');
    const command =
      'stat -c %a:%n $HEDDLE_ATTEMPT_TOKEN_FILE > $SAID; cat $HEDDLE_ATTEMPT_TOKEN_FILE >> $SAID; env > $SAID.environment; cp launch_container.sh $SAID.script; sleep 600';
    const environment = { entry: [{ key: 'SAID', value: '<LOG_DIR>/said' }] };
    assert.equal(await submit(id, 'ann', { 'am-container-spec': { commands: { command }, environment } }), 202);
    const said = () =>
      readdirSync(cluster.dataDir, { recursive: true, encoding: 'utf8' }).find(
        (name) => name.includes(id) && name.endsWith('/said.script'),
      );
    await until('the container to say', async () => said() !== undefined, 20_000);
    const file = join(cluster.dataDir, said()!).replace(/\.script$/, '');
    const [stat = '', token = ''] = readFileSync(file, 'utf8').trim().split('\n');
    assert.match(stat, new RegExp(`^600:.*/${id}/container_`));
    assert.ok(token.length >= 32, 'the token');
    for (const name of ['environment', 'script']) assert.ok(!readFileSync(`${file}.${name}`, 'utf8').includes(token), name);
  });

  it('stores are for their owner alone', () => {
    const stores = readdirSync(cluster.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sqlite'));
    assert.ok(
      stores.some((name) => name.startsWith('resource-manager/')) && stores.some((name) => name.includes('node-manager/')),
      stores.join(),
    );
    for (const name of stores) assert.equal(statSync(join(cluster.dataDir, name)).mode & 0o777, 0o600, name);
  });

  it('doctor ends with 1 where there is a problem, and with 0 where there is none of that kind', async () => {
    const secret = join(cluster.dataDir, 'secrets', 'services');
    const doctor = () =>
      new Promise<{ code: number; output: string }>((resolve) => {
        const words = [join(import.meta.dirname, '../../src/main.ts'), 'doctor', '--json', '--data', cluster.dataDir];
        execFile(process.execPath, words, { encoding: 'utf8' }, (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` }),
        );
      });
    chmodSync(secret, 0o644);
    const { code, output } = await doctor();
    assert.equal(code, 1, output);
    assert.ok(output.includes(secret), output);
    chmodSync(secret, 0o600);
    assert.ok(!(await doctor()).output.includes(secret));
  });
});
