// What an application was submitted with: who sees what of it, what nobody sees, that `heddle run` takes it back, and that it outlives the end and
// the process.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readRunFile } from '../../src/cli/run-file.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { RunningRole } from '../../src/lib/role.ts';
import { start } from '../../src/resource-manager/server.ts';
import { commandMaster, encodeJob } from '../../src/wire/cluster/command-job.ts';
import type { SubmittedContext } from '../../src/wire/cluster/submitted.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-submissions-'));
const configuration = loadConfiguration({
  confDir: folder,
  dataDir: join(folder, 'data'),
  set: {
    'yarn.acl.enable': 'true',
    'yarn.admin.acl': 'boss',
    'yarn.scheduler.capacity.root.acl_administer_queue': 'boss',
    'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.enabled': 'false',
  },
});
const begin = () => start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
let role: RunningRole;

async function ask<Answer>(
  method: string,
  path: string,
  user: string,
  body?: unknown,
): Promise<{ status: number; text: string; json: Answer }> {
  const response = await fetch(`${role.addresses['web']}${path}?user.name=${user}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text === '' ? 'null' : text) as Answer };
}
const submit = async (body: object): Promise<string> => {
  const { text, json } = await ask<{ id?: string }>('POST', '/api/v1/applications', 'ann', body);
  return json.id ?? assert.fail(text);
};
const submission = (id: string, user = 'ann') => ask<SubmittedContext>('GET', `/api/v1/applications/${id}/submission`, user);
const kill = async (id: string) => {
  await ask('PUT', `/ws/v1/cluster/apps/${id}/state`, 'ann', { state: 'KILLED' });
  for (;;) {
    const { json } = await ask<{ state: string }>('GET', `/api/v1/applications/${id}`, 'ann');
    if (json.state === 'KILLED') return;
  }
};

const run = {
  command: ['python3', 'train.py', '--label', "it's $HOME", 'http://ann:pw4ever@host/data'],
  instances: 3,
  memoryMiB: 512,
  vcores: 2,
  environment: { EPOCHS: '10', QUOTED: 'a "b" $C `d` {{E}} \\', DB_PASSWORD: 'hunter2hunter2', USES: 'with hunter2hunter2 in it' },
  files: { 'train.py': { text: 'print(1)' }, data: { uri: 'http://host/data.tgz', archive: true } },
  secrets: { API_KEY: 'k3y-of-nobody' },
  retries: 4,
  tags: ['train'],
  constraint: 'notin,node,train',
};
const asked = {
  'application-name': 'training: the first',
  queue: 'default',
  'application-tags': { tag: ['nightly'] },
  'application-timeouts': { LIFETIME: 5400 },
  run,
};
const secrets = /pw4ever|hunter2hunter2|k3y-of-nobody/;

describe('what an application was submitted with', () => {
  let id: string;
  before(async () => {
    role = await begin();
    id = await submit(asked);
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is told to who may change it, without passwords, secrets and variables that are named as such', async () => {
    const { status, text, json } = await submission(id);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, secrets);
    const { command, environment, files, secrets: names, ...rest } = json.run!;
    assert.deepEqual(command, ['python3', 'train.py', '--label', "it's $HOME", 'http://ann:<redacted>@host/data']);
    assert.deepEqual(environment, { EPOCHS: '10', QUOTED: run.environment.QUOTED, USES: 'with <redacted> in it' });
    assert.deepEqual(
      files.map(({ name, archive, bytes }) => [name, archive, bytes]),
      [
        ['train.py', false, 8],
        ['data', true, undefined],
      ],
    );
    assert.deepEqual([names, json.hiddenVariables], [['API_KEY'], ['DB_PASSWORD']]);
    assert.deepEqual(
      [rest.instances, rest.memoryMiB, rest.vcores, rest.retries, rest.tags, rest.constraint],
      [3, 512, 2, 4, ['train'], 'notin,node,train'],
    );
    assert.deepEqual([json.queue, json.tags, json.lifetimeSeconds], ['default', ['nightly'], 5400]);
    assert.equal(json.notes.length, 2);
  });

  it('is a file that heddle run takes back', async () => {
    const file = join(folder, 'again.yaml');
    writeFileSync(file, (await submission(id)).json.yaml ?? '');
    const { command, flags } = readRunFile(file);
    assert.deepEqual(command.slice(0, 4), run.command.slice(0, 4));
    const { env, file: files, secret, ...others } = flags;
    assert.deepEqual(others, {
      ...{ name: 'training: the first', instances: 3, memory: 512, vcores: 2, queue: 'default', timeout: 5_400_000, retries: 4 },
      ...{ tag: ['train'], constraint: ['notin,node,train'] },
    });
    assert.deepEqual(env, ['EPOCHS=10', `QUOTED=${run.environment.QUOTED}`, 'USES=with <redacted> in it', 'DB_PASSWORD']);
    assert.deepEqual(files, [join(folder, 'train.py'), 'http://host/data.tgz#data/']);
    assert.deepEqual(secret, [`API_KEY=${join(folder, 'API_KEY.secret')}`]);
  });

  it('has neither commands, addresses nor values for who may only view it, and nothing for anybody else', async () => {
    const job = {
      command: ['train.py', '--fast'],
      instances: 1,
      memoryMiB: 128,
      vcores: 1,
      environment: { EPOCHS: '10' },
      retries: 0,
      attached: true,
    };
    const data = { resource: 'http://host/data', type: 'FILE', visibility: 'APPLICATION', size: -1, timestamp: -1 } as const;
    const spec = {
      commands: { command: commandMaster.command },
      environment: { entry: [{ key: commandMaster.variable, value: encodeJob({ ...job, files: { data } }) }] },
      'application-acls': { entry: [{ key: 'VIEW_APP', value: 'vic' }] },
    };
    const viewed = await submit({ 'application-type': commandMaster.type, 'am-container-spec': spec });
    const { status, text, json } = await submission(viewed, 'vic');
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /train\.py|"10"|host\/data/);
    assert.deepEqual([json.run?.command, json.run?.environment, json.yaml, json.viewers], [undefined, {}, undefined, 'vic']);
    assert.deepEqual([json.hiddenVariables, json.run?.files], [['EPOCHS'], [{ name: 'data', archive: false }]]);
    assert.match(json.notes.join(' '), /who may change the application sees them/);
    assert.deepEqual((await submission(viewed)).json.run?.environment, { EPOCHS: '10' });
    await kill(viewed);
    assert.equal((await submission(viewed, 'vic')).json.run?.command, undefined);
    assert.equal((await submission(id, 'eve')).status, 403);
    assert.equal((await submission(id, 'boss')).json.run?.command?.length, 5);
    assert.equal((await submission('application_1_9999')).status, 404);
    assert.equal((await submission('nonsense')).status, 400);
  });

  it('is as it was when the application has ended, and in the next process', async () => {
    const { submittedTime: _, ...wanted } = (await submission(id)).json;
    await kill(id);
    const told = async () => {
      const { submittedTime, ...json } = (await submission(id)).json;
      assert.ok(submittedTime > 0);
      return json;
    };
    assert.deepEqual(await told(), wanted);
    await role.close();
    role = await begin();
    assert.deepEqual(await told(), wanted);
  });

  it('of another master is its launch context, without credentials and service data', async () => {
    const spec = {
      commands: { command: 'java -cp x Main --from http://a:pw4ever@b/' },
      environment: {
        entry: [
          { key: 'CLASSPATH', value: 'x' },
          { key: 'MY_TOKEN', value: 'hunter2hunter2' },
        ],
      },
      'local-resources': {
        entry: [{ key: 'x.jar', value: { resource: 'http://b/x.jar', type: 'FILE', visibility: 'PUBLIC', size: 5, timestamp: 7 } }],
      },
      'service-data': { entry: [{ key: 'shuffle', value: 'aHVudGVyMmh1bnRlcjI' }] },
      credentials: { secrets: { entry: [{ key: 'k', value: 'aHVudGVyMmh1bnRlcjI' }] } },
    };
    const other = await submit({
      'application-type': 'SPARK',
      priority: 0,
      resource: { memory: 300, vCores: 1 },
      'am-container-spec': spec,
    });
    const { text, json } = await submission(other);
    assert.doesNotMatch(text, /pw4ever|hunter2|aHVudGVy/);
    assert.deepEqual(json.launch, {
      commands: ['java -cp x Main --from http://a:<redacted>@b/'],
      environment: { CLASSPATH: 'x' },
      files: [{ name: 'x.jar', address: 'http://b/x.jar', archive: false, bytes: 5 }],
      services: ['shuffle'],
      credentials: true,
      secrets: [],
    });
    assert.deepEqual(
      [json.hiddenVariables, json.run, json.yaml, json.priority, json.master['memoryMiB']],
      [['MY_TOKEN'], undefined, undefined, 0, 300],
    );
    await kill(other);
    assert.deepEqual((await submission(other)).json.launch, json.launch);
  });

  it('is a file also where names and addresses are odd, and what a name says is none of its lines', async () => {
    const job = {
      command: ['true'],
      instances: 1,
      memoryMiB: 128,
      vcores: 1,
      environment: { 'A_TOKEN\nqueue: evil': 'x' },
      retries: 0,
      attached: true,
    };
    const staged = { resource: 'staging:/%zz/a/b%', type: 'ARCHIVE', visibility: 'APPLICATION', size: 1, timestamp: -1 } as const;
    const spec = {
      commands: { command: commandMaster.command },
      environment: { entry: [{ key: commandMaster.variable, value: encodeJob({ ...job, files: { 'b\nname: evil': staged } }) }] },
    };
    const odd = await submit({ 'application-type': commandMaster.type, 'am-container-spec': spec });
    const { status, text, json } = await submission(odd);
    assert.equal(status, 200, text);
    const file = join(folder, 'odd.yaml');
    writeFileSync(file, json.yaml ?? '');
    const { flags } = readRunFile(file);
    assert.deepEqual([flags.queue, flags.name], [undefined, 'N/A']);
  });

  it('is not kept of an ended one where it is very long, which is said', async () => {
    const long = await submit({ run: { command: ['echo', 'x'.repeat(40_000)] } });
    assert.equal((await submission(long)).json.run?.command?.[1]?.length, 40_000);
    await kill(long);
    await role.close();
    role = await begin();
    const { json } = await submission(long);
    assert.deepEqual([json.run, json.launch], [undefined, undefined]);
    assert.match(json.notes.join(' '), /is not kept/);
  });
});
