// Files that a client leaves with the resource manager reach the containers of its applications, and no others.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ClusterSecret } from '../../src/auth/cluster-secret.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster({
    nodes: 2,
    settings: { 'heddle.staging.maximum-file-bytes': '100000', 'heddle.staging.ended-retention': '0' },
  });
});
after(() => cluster[Symbol.asyncDispose]());

const newApplication = async (): Promise<string> => {
  const answer = await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/new-application?user.name=ada`, { method: 'POST' });
  return ((await answer.json()) as { 'application-id': string })['application-id'];
};
const at = (id: string, name: string, user: string, owner = 'ada') =>
  `${cluster.urls.resourceManager}/api/v1/staging/${owner}/${id}/${name}?user.name=${user}`;
const put = (id: string, name: string, body: string, headers: Record<string, string> = {}, user = 'ada') =>
  fetch(at(id, name, user), { method: 'PUT', body, headers });
const stagedFolder = () => join(cluster.dataDir, 'resource-manager/staging/u-ada');

test('a staged file reaches a container and goes when the application has ended', async () => {
  const id = await newApplication();
  const answer = await put(id, 'words.txt', 'words of ada');
  assert.equal(answer.status, 201);
  const staged = (await answer.json()) as { uri: string; bytes: number; sha256: string };
  assert.deepEqual(staged, {
    uri: `staging:/ada/${id}/words.txt`,
    bytes: 12,
    sha256: createHash('sha256').update('words of ada').digest('hex'),
  });
  const entry = [{ key: 'words', value: { resource: staged.uri, type: 'FILE', visibility: 'APPLICATION', size: 12, timestamp: -1 } }];
  await submitApplication(
    cluster.urls.resourceManager,
    {
      ...commandApplication(''),
      'application-id': id,
      'am-container-spec': { commands: { command: "grep -q 'words of ada' words" }, 'local-resources': { entry } },
    },
    'ada',
  );
  const { diagnostics } = await endedApplication(cluster.urls.resourceManager, id);
  assert.match(diagnostics, /exitCode: 0/);
  await until('the staged file to go', async () => !existsSync(join(stagedFolder(), id)));
});

test('only the owner and the nodes get at a file; secrets and names do not help any other user', async () => {
  const id = await newApplication();
  await put(id, 'mine.txt', 'secret words');
  assert.equal(await (await fetch(at(id, 'mine.txt', 'ada'))).text(), 'secret words');
  assert.equal((await put(id, 'mine.txt', 'x', {}, 'bob')).status, 403);
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(at(id, 'mine.txt', 'bob'), { method })).status, 403);
  const node = `${cluster.urls.resourceManager}/api/v1/nodes/staging/ada/${id}/mine.txt`;
  const secretFile = join(cluster.dataDir, 'secrets/cluster');
  const bearer = `Bearer ${Buffer.from(readFileSync(secretFile, 'utf8').trim(), 'base64').toString('base64url')}`;
  const asked = async (headers: Record<string, string>) => (await fetch(node, { headers })).status;
  assert.equal(await asked({}), 401);
  assert.equal(await asked({ authorization: 'Bearer AAAA', 'heddle-staging-user': 'ada' }), 401);
  assert.equal(await asked({ authorization: bearer, 'heddle-staging-user': 'ada' }), 401, 'the secret itself proves nothing');
  const known = new ClusterSecret(secretFile, { clock: systemClock, random: systemRandom });
  const agent = new ProvenAgent({ url: () => cluster.urls.resourceManager, keys: () => known.nodeKeys, unknown: 'another secret' });
  const askedAsNode = async (user: string) => {
    const asking = request(node, { agent, headers: { 'heddle-staging-user': user } });
    asking.end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  assert.equal(await askedAsNode('ada'), 200);
  assert.equal(await askedAsNode('bob'), 403);
  // Another user's application cannot have it brought.
  const entry = [
    { key: 'words', value: { resource: `staging:/ada/${id}/mine.txt`, type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp: -1 } },
  ];
  const thief = await submitApplication(
    cluster.urls.resourceManager,
    { ...commandApplication(''), 'am-container-spec': { commands: { command: 'cat words' }, 'local-resources': { entry } } },
    'bob',
  );
  assert.match((await endedApplication(cluster.urls.resourceManager, thief)).diagnostics, /Permission denied: user=bob, access=READ/);
});

test('bad uploads are refused with a reason and leave nothing', async () => {
  const id = await newApplication();
  const refused = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { RemoteException: { message: string } }).RemoteException.message,
  ];
  assert.deepEqual((await refused(await put(id, 'a%00b', 'x')))[0], 400);
  assert.deepEqual((await refused(await put(id, 'a%2fb', 'x')))[0], 400);
  assert.deepEqual((await refused(await put('application_1_x', 'a', 'x')))[0], 400);
  const digest = { 'content-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
  assert.match(String(await refused(await put(id, 'a', 'x', digest))), /400,.*SHA-256/);
  assert.match(String(await refused(await put(id, 'a', 'x', { 'content-digest': 'md5=:x:' }))), /400,.*content-digest/);
  assert.match(String(await refused(await put(id, 'a', 'x', { 'content-encoding': 'gzip' }))), /400,/);
  assert.match(String(await refused(await put(id, 'large', 'x'.repeat(100_001)))), /413,.*100000 bytes/);
  // An upload that is cut off in the middle.
  await new Promise<void>((resolve) => {
    const cut = request(at(id, 'cut', 'ada'), { method: 'PUT', headers: { 'content-length': '1000' } });
    cut.on('error', () => resolve());
    cut.write('half', () => setImmediate(() => cut.destroy(new Error('cut'))));
  });
  assert.equal((await fetch(at(id, 'cut', 'ada'))).status, 404);
  assert.deepEqual(existsSync(join(stagedFolder(), id)) ? readdirSync(join(stagedFolder(), id)) : [], []);
});

test('heddle run brings files and archives to instances on every node', async () => {
  const home = mkdtempSync(join(tmpdir(), 'staging-run-'));
  try {
    writeFileSync(join(home, 'words.txt'), 'brought');
    execFileSync('tar', ['-czf', join(home, 'lib.tar.gz'), '-C', home, 'words.txt']);
    const files = [`${home}/words.txt#input`, `${home}/lib.tar.gz#lib/`];
    // Memory of which a node has room for one instance only.
    const command = [
      'run',
      '-n',
      '2',
      '--memory',
      '5000',
      '--file',
      ...files,
      '--user',
      'ada',
      '--',
      'bash',
      '-c',
      'cat input lib/words.txt; echo " $NM_HTTP_PORT"',
    ];
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager },
    });
    const texts = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    const [out = '', err = ''] = texts.map((pieces) => Buffer.concat(pieces).toString());
    const lines = out.trim().split('\n').sort();
    assert.equal(lines.length, 2, err);
    for (const [index, line] of lines.entries()) assert.match(line, new RegExp(`^\\[${index}\\] broughtbrought \\d+$`));
    assert.equal(new Set(lines.map((line) => line.split(' ').at(-1))).size, 2);
  } finally {
    rmSync(home, { recursive: true });
  }
});
