// What the cluster would refuse is refused before anything is brought, against a server that answers as a cluster would.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-refuse-first-'));
const input = join(folder, 'in');
const file = join(input, 'brought.txt');
const refused = (message: string, status = 400) => ({ status, json: { RemoteException: { exception: 'BadRequestException', message } } });
const wouldEnd = (reason: string) => ({
  json: { accepted: false, sentence: `It would be over at once, as FAILED: ${reason}`, user: 'ada', containers: [], adjusted: [] },
});
/** What the cluster says to a submission that is tried. */
let tried: StubAnswer;
/** Where it stages jobs; undefined: it does not say. */
let staging: string | undefined;
/** Who administers its jobs; undefined: access lists of jobs are off. */
let administrators: string | undefined;
const server = new StubServer((request: StubRequest): StubAnswer => {
  if (request.path === '/api/v1/applications' && request.query.has('dryRun')) return tried;
  if (request.path.endsWith('/new-application'))
    return { json: { 'application-id': 'application_1_0001', 'maximum-resource-capability': { memory: 8192, vCores: 8 } } };
  if (request.path.startsWith('/api/v1/staging/')) return { status: 201, json: { uri: 'heddle://x', bytes: 3, sha256: 'x' } };
  if (request.path === '/api/v1/applications') return { status: 202, json: { id: 'application_1_0001', adjusted: [] } };
  if (request.path === '/ws/v1/cluster/get-rm-node-labels') return { json: { nodeLabelInfo: [{ name: 'gpu' }, { name: 'ssd' }] } };
  if (request.path === '/api/v1/job-folders' && staging)
    return { json: { staging, intermediateHistory: join(staging, 'history'), ...(administrators && { accessLists: { administrators } }) } };
  if (request.path !== '/ws/v1/cluster/scheduler') return undefined;
  const queue = [
    { queueName: 'day', queuePath: 'root.day', state: 'RUNNING' },
    { queueName: 'night', queuePath: 'root.night', state: 'STOPPED' },
  ];
  return { json: { scheduler: { schedulerInfo: { type: 'capacityScheduler', queueName: 'root', queues: { queue } } } } };
});
let commands: CommandLine;

before(async () => {
  mkdirSync(input);
  writeFileSync(file, 'a b');
  writeFileSync(join(folder, 'run.yaml'), `command: [echo, hi]\nqueue: nope\nfiles: [${file}]\n`);
  const url = await server.listen();
  commands = commandsAt(url, { HEDDLE_DATA: join(folder, 'data') });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  staging = undefined;
  administrators = undefined;
});

/** What was asked of the cluster that leaves something there. */
const left = () =>
  server.requests
    .filter(({ method, query, path }) => (method !== 'GET' && !query.has('dryRun')) || path.endsWith('/new-application'))
    .map(({ path }) => path);
const run = ['run', '--file', file];
const words = () => ['batch', 'wordcount', input, join(folder, 'out'), '--file', file];

describe('what would be refused', () => {
  it('is refused by every command that submits before it brings anything, with the queues there are', async () => {
    tried = wouldEnd('Application application_1_0001 submitted by user ada to unknown queue: nope');
    const all = [
      [...run, '--queue', 'nope', '--', 'true'],
      ['run', join(folder, 'run.yaml')],
      ['run', '--plan', '--queue', 'nope', '--', 'true'],
      ['schedule', 'add', 'nightly', join(folder, 'run.yaml'), '--cron', '@daily'],
      [...words(), '-D', 'mapreduce.job.queuename=nope'],
      ['batch', 'sleep', '1', '1', '1', '1', '-D', 'mapreduce.job.queuename=nope'],
    ];
    for (const command of all) {
      server.requests.length = 0;
      const { code, out, err } = await commands.run(...command);
      assert.deepEqual([code, out], [1, ''], command.join(' '));
      assert.match(err, /to unknown queue: nope\n {2}Queues that take work: root\.day\. "heddle queue list" shows them all\.\n$/);
      // A plan asks how large containers may be, by an id that nothing is kept under.
      assert.deepEqual(left(), command.includes('--plan') ? ['/ws/v1/cluster/apps/new-application'] : [], command.join(' '));
    }
  });

  it('names the labels, the types of resources, and what else the cluster said', async () => {
    tried = refused('Invalid label resource request, cluster do not contain , label= nosuch');
    assert.match((await commands.run(...run, '--label', 'nosuch', '--', 'true')).err, /\n {2}Labels there are: gpu, ssd\./);
    tried = wouldEnd('org.apache.hadoop.security.AccessControlException: Queue root.night is STOPPED. Cannot accept submission');
    assert.match(
      (await commands.run(...run, '--queue', 'night', '--', 'true')).err,
      /FAILED: Queue root\.night is STOPPED.*\n.*: root\.day\./,
    );
    const container = { role: 'instance', count: 1, resource: {}, nodes: [], waiting: 0, reasons: [] };
    const sentence =
      'Its master would be refused its instance: there is no resource type x in this cluster; those there are: memory-mb, vcores';
    tried = { json: { accepted: true, sentence, user: 'ada', containers: [{ ...container, refused: 'x' }], adjusted: [] } };
    const unknown = await commands.run(...run, '--resource', 'x=1', '--', 'true');
    assert.deepEqual([unknown.code, unknown.err], [1, `heddle: ${sentence}\n`]);
    assert.deepEqual(left(), []);
  });

  it('asks for the labels of the tasks of a job, too', async () => {
    tried = { json: { accepted: true, sentence: 'It would be taken.', user: 'ada', containers: [], adjusted: [] } };
    await commands.run(
      ...words(),
      '-D',
      'mapreduce.map.node-label-expression=gpu',
      '-D',
      'mapreduce.job.node-label-expression=ssd',
      '--detach',
    );
    const asked = server.requests.filter(({ query }) => query.get('dryRun') === 'admission').map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      asked.map((body) => [body.queue, body['app-node-label-expression'], body['am-container-node-label-expression']]),
      [
        ['default', 'ssd', undefined],
        ['default', 'ssd', 'gpu'],
      ],
    );
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  });

  it('is not asked where a cluster of an earlier release or a busy one does not say it', async () => {
    for (const unsaid of [refused('dryRun must be true or false'), refused('Trying submissions is busy; try again in 5 s.', 429)]) {
      tried = unsaid;
      server.requests.length = 0;
      const { code, out, err } = await commands.run(...run, '--detach', '--', 'true');
      assert.deepEqual([code, out], [0, 'application_1_0001\n'], err);
      assert.equal(left().at(-1), '/api/v1/applications');
    }
  });

  it('is not staged where a cluster of another folder does not look', async () => {
    tried = { json: { accepted: true, sentence: 'It would be taken.', user: 'ada', containers: [], adjusted: [] } };
    const sleep = ['batch', 'sleep', '1', '0', '1', '1', '--detach'];
    const stagedIn = (place: string) => globSync('ada/.staging/*/job.xml', { cwd: place }).length;
    staging = join(folder, 'of-the-cluster');
    mkdirSync(staging);
    assert.equal((await commands.run(...sleep)).code, 0);
    assert.deepEqual([stagedIn(staging), stagedIn(join(folder, 'data/staging'))], [1, 0]);
    // What is said counts, and so does a folder of one's own where the cluster's is not to be seen.
    const own = join(folder, 'said');
    assert.equal((await commands.run(...sleep, '--set', `yarn.app.mapreduce.am.staging-dir=${own}`)).code, 0);
    staging = join(folder, 'not-here');
    assert.equal((await commands.run(...sleep)).code, 0);
    assert.deepEqual([stagedIn(own), stagedIn(join(folder, 'of-the-cluster')), stagedIn(join(folder, 'data/staging'))], [1, 1, 1]);
  });

  it('leaves its history where the cluster looks for it and carries its access lists, whatever the files of the client say', async () => {
    tried = { json: { accepted: true, sentence: 'It would be taken.', user: 'ada', containers: [], adjusted: [] } };
    staging = join(folder, 'with-lists');
    mkdirSync(join(staging, 'history'), { recursive: true });
    administrators = 'boss admins';
    let tries = 0;
    const settingsWith = async (...more: string[]): Promise<(name: string) => string | undefined> => {
      const own = join(folder, `own-${tries++}`);
      const sleep = ['batch', 'sleep', '1', '0', '1', '1', '--detach', '--set', `yarn.app.mapreduce.am.staging-dir=${own}`];
      const { code, err } = await commands.run(...sleep, ...more);
      assert.equal(code, 0, err);
      const written = readFileSync(join(own, globSync('ada/.staging/*/job.xml', { cwd: own })[0]!), 'utf8');
      return (name) => new RegExp(`<name>${name}</name><value>([^<]*)<`).exec(written)?.[1];
    };
    const of = await settingsWith();
    const named = ['mapreduce.jobhistory.intermediate-done-dir', 'mapreduce.cluster.acls.enabled', 'mapreduce.cluster.administrators'];
    assert.deepEqual(named.map(of), [join(staging, 'history'), 'true', 'boss admins']);
    const said = await settingsWith('--set', `${named[0]}=/said`, '-D', `${named[1]}=false`);
    assert.deepEqual(named.map(said), ['/said', 'false', 'boss admins']);
    administrators = undefined;
    rmSync(staging, { recursive: true });
    const without = await settingsWith();
    assert.deepEqual(named.slice(0, 2).map(without), [join(folder, 'own-2/history/done_intermediate'), 'false']);
  });

  it('is known of the job itself before its files travel', async () => {
    tried = { json: { accepted: true, sentence: 'It would be taken.', user: 'ada', containers: [], adjusted: [] } };
    for (const [code, ...command] of [
      [2, 'batch', 'wordcount', join(folder, 'nothing'), join(folder, 'out'), '--file', file],
      [4, 'batch', 'wordcount', input, folder, '--file', file],
      [3, ...words(), '-D', 'mapreduce.map.memory.mb=9000'],
    ] as const) {
      server.requests.length = 0;
      const result = await commands.run(...command);
      assert.equal(result.code, code, result.err);
      assert.deepEqual(left(), ['/ws/v1/cluster/apps/new-application'], command.join(' '));
    }
  });
});
