import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Command } from 'commander';
import { completionWords } from './completion.ts';
import { remedyByWords } from './connection.ts';
import { readFiles } from './files.ts';
import { createProgram } from './program.ts';
import { queueRows } from './queue.ts';
import { readVariables } from './run-job.ts';
import { CommandLine, type CommandResult, StubServer } from './test-support/command-line.ts';
import { calledHere, leadOn, wordsOfOthers } from './words-of-others.ts';

const main = join(import.meta.dirname, '../main.ts');
const folder = mkdtempSync(join(tmpdir(), 'heddle-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command that starts a role, in a process of its own, without settings of the user who runs the test. */
function startRole(...args: string[]): Promise<{ code: number | null; err: string }> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEDDLE_')));
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
  let err = '';
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, err })));
}

const app = {
  id: 'application_1_0001',
  name: 'one',
  user: 'ada',
  queue: 'default',
  state: 'FINISHED',
  finalStatus: 'SUCCEEDED',
  progress: 100,
  startedTime: 1000,
  elapsedTime: 2500,
};
const older = { ...app, id: 'application_1_0000', startedTime: 500 };
const answers: Record<string, unknown> = {
  '/ws/v1/cluster/apps': { apps: { app: [older, app] } },
  '/ws/v1/cluster/apps/application_1_0001': { app },
  '/ws/v1/cluster/apps/application_1_0001/appattempts': { appAttempts: {} },
  '/ws/v1/cluster/nodes': {
    nodes: {
      node: [
        {
          id: 'a:1',
          state: 'RUNNING',
          nodeHTTPAddress: 'a:2',
          usedMemoryMB: 1024,
          availMemoryMB: 7168,
          usedVirtualCores: 1,
          availableVirtualCores: 7,
        },
      ],
    },
  },
  '/ws/v1/cluster/scheduler': {
    scheduler: {
      schedulerInfo: {
        type: 'capacityScheduler',
        queueName: 'root',
        capacity: 100,
        queues: { queue: [{ queueName: 'default', queuePath: 'root.default', absoluteCapacity: 40 }] },
      },
    },
  },
};

describe('the command line', () => {
  const server = new StubServer(({ path }) => (answers[path] === undefined ? undefined : { json: answers[path] }));
  const { PATH = '', HOME = '' } = process.env;
  const commands = new CommandLine({ PATH, HOME, HEDDLE_DATA: join(folder, 'data') });
  const heddle = (...args: string[]): Promise<CommandResult> => commands.run(...args);
  let url: string;
  before(async () => {
    url = await server.listen();
  });
  after(async () => {
    await commands[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('lists and shows applications, as a table and as JSON', async () => {
    const table = await heddle('app', 'list', '--cluster', url, '--user', 'ada', '--state', 'FINISHED');
    assert.equal(table.code, 0);
    assert.match(table.out, /APPLICATION +NAME .*\n.*application_1_0001 +one +ada +default +FINISHED +SUCCEEDED +100% .* 2\.5 s/);
    assert.match(String(server.requests.at(-1)?.query), /user\.name=ada&states=FINISHED/);
    assert.deepEqual(JSON.parse((await heddle('app', 'list', '--cluster', url, '--json')).out), [app, older]);
    // The cluster's own limit would take any of them.
    assert.deepEqual(JSON.parse((await heddle('app', 'list', '--cluster', url, '--json', '--limit', '1')).out), [app]);
    assert.equal(server.requests.at(-1)?.query.has('limit'), false);
    assert.match((await heddle('app', 'show', app.id, '--cluster', url)).out, /result +SUCCEEDED/);
    assert.match((await heddle('app', 'kill', app.id, '--cluster', url)).out, /was over already: FINISHED/);
  });

  it('lists nodes and queues', async () => {
    assert.match((await heddle('node', 'list', '--cluster', url)).out, /a:1 +RUNNING +a:2 .* 1 GiB +8 GiB +1 +8/);
    assert.match((await heddle('queue', 'list', '--cluster', url)).out, /root\.default +- +40%/);
  });

  it('says in one line what went wrong, with a remedy', async () => {
    const unknown = await heddle('app', 'show', 'application_1_0009', '--cluster', url);
    assert.deepEqual([unknown.code, unknown.err], [1, 'heddle: it is not there\n  "heddle app list" shows the applications there are.\n']);
    const away = await heddle('node', 'list', '--cluster', 'http://127.0.0.1:1234');
    assert.equal(away.code, 1);
    assert.match(away.err, /^heddle: http:\/\/127\.0\.0\.1:1234 does not answer: .*\n {2}Is the cluster running/);
    await using stranger = new StubServer(() => ({ status: 404, text: 'Not Found' }));
    const strange = await stranger.listen();
    const wrong = await heddle('node', 'list', '--cluster', strange);
    const named = 'Name the cluster with --cluster URL or NAME, --conf DIR or --data DIR; an address is that of its resource manager.';
    const told = `heddle: ${strange} answered 404: Not Found; is it the right server?\n  ${named}\n`;
    assert.deepEqual([wrong.code, wrong.err], [1, told]);
    assert.equal((await heddle('app', 'show', 'application_1_0001', '--cluster', strange)).err, told);
    await using other = new StubServer(() => ({ status: 501, text: 'Unsupported method' }));
    assert.match((await heddle('run', '--cluster', await other.listen(), '--', 'true')).err, /answered 501: Unsupported .*\n {2}Name the/);
    const untold = await heddle('node', 'list', '--cluster', url.replace('http:', 'https:'));
    assert.match(untold.err, /does not answer: it does not speak TLS there: .* \(ERR_SSL_\w+\)\n/);
    await using page = new StubServer(() => ({
      status: 404,
      text: '<html><head><title>error 404</title><style>a{}</style></head><body><h1>error 404</h1></body></html>',
    }));
    assert.match((await heddle('node', 'list', '--cluster', await page.listen())).err, /answered 404: error 404; is it/);
    const nobody = await heddle('node', 'list', '--cluster', 'nobody-of-this-name');
    assert.match(nobody.err, /\n {2}No cluster is called nobody-of-this-name \("heddle context list"/);
    const usages: [string[], RegExp][] = [
      [['app', 'list', '--nothing'], /unknown option '--nothing'/],
      [['app', 'lst'], /unknown command 'lst'/],
      [['app', 'create'], /unknown command 'create'\n {2}"heddle app" has list, show, kill, /],
      [['config', 'show', 'x'], /too many arguments .*\n {2}It is called as heddle config show \[options\]\n/],
      [['webhook', 'add'], /missing required argument 'url'\n {2}It is called as heddle webhook add \[options\] <url>\n/],
      [['hadoop', 'fs', '-ls', '/'], /unknown command 'hadoop'\n {2}Heddle keeps no files: /],
      [['kubectl', 'get', 'nodes'], /\n {2}Here that is "heddle node list"\.\n/],
      [['app', 'logs'], /missing required argument 'application'\n {2}It is called as .*\n {2}"heddle app list" shows the applications/],
      [['container', 'show'], /\n {2}"heddle app containers ID" shows those of an application/],
      [['reservation', 'list'], /\n {2}"heddle queue list" shows the queues there are\./],
      [['app', 'list', '--state', 'over'], /'OVER' is none of NEW, .*FINISHED/],
      [['run', 'ls', '-la'], /unknown option '-la'\n {2}What belongs to the command stands behind --: heddle run -- COMMAND/],
      [['container', 'exec', 'container_1_1_01_01', 'ls', '-la'], /heddle container exec CONTAINER -- COMMAND/],
      [['batch', 'module', 'absent.ts', 'in', 'out'], /absent\.ts: there is no such module/],
      [['batch', 'module', join(import.meta.dirname, '../../package.json'), 'in', 'out'], /package\.json: ends like no module/],
      [['job', 'list', '--state', 'running,done'], /'DONE' is none of NEW, /],
      [['job', 'tasks', 'job_1_0001', '--state', 'x'], /'X' is none of NEW, SCHEDULED, /],
      [['job', 'attempts', 'job_1_0001', '--state', 'x'], /'X' is none of NEW, STARTING, /],
      [['node', 'list', '--state', 'up'], /'UP' is none of NEW, RUNNING, /],
      [['batch', 'module', '.', 'in', 'out'], /\.: a module is a file/],
      [['run', '--file', 'hdfs://ns1/a', '--', 'true'], /nothing is read from hdfs: addresses\n.*webhdfs:\/\/NAMENODE:9870\/PATH/],
      [['run', '--file', 'absent', '--', 'true'], /--file absent: there is no such file/],
      [['run', '--instances', '0', '--', 'true'], /Give a whole number from 1/],
      [['start', 'nothing'], /there is no role nothing/],
      [['up', '--ports', 'some'], /there is no such choice/],
    ];
    for (const [args, message] of usages) {
      const { code, err } = await heddle(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, message);
    }
  });

  it('brings work to a resource manager that is just being restarted, once, and waits for it no longer than it is told', async () => {
    const id = 'application_1_0007';
    for (const [broken, maximumWaitMs] of [
      [1, -1],
      [2, 60_000],
    ] as const) {
      let left = broken;
      await using restarting = new StubServer(({ method, path, query }) => {
        if (query.has('dryRun'))
          return left-- > 0 ? 'broken off' : { json: { accepted: true, sentence: '', user: '', containers: [], adjusted: [] } };
        if (path.endsWith('/new-application')) return { json: { 'application-id': id } };
        return method === 'POST' ? { status: 202 } : undefined;
      });
      const at = await restarting.listen();
      const wait = `yarn.resourcemanager.connect.max-wait.ms=${maximumWaitMs}`;
      const { code, out, err } = await heddle('run', '--detach', '--cluster', at, '--set', wait, '--', 'true');
      assert.deepEqual([code, out], [0, `${id}\n`]);
      assert.match(err, /does not answer: .*; trying( for 1 min 0 s)?, in case it is being restarted\n$/);
      const paths = restarting.requests.map(({ path, query }) => (query.has('dryRun') ? 'tried' : path.split('/').at(-1)));
      assert.deepEqual(paths, [...Array.from({ length: broken + 1 }, () => 'tried'), 'new-application', 'applications']);
    }
    const none = ['--cluster', 'http://127.0.0.1:1', '--set', 'yarn.resourcemanager.connect.max-wait.ms=0'];
    const given = await heddle('run', ...none, '--', 'true');
    assert.deepEqual([given.code, given.err.includes('trying')], [1, false]);
  });

  it('says in one line, too, that there is no room for what it prints', { skip: !existsSync('/dev/full') && 'no /dev/full' }, async () => {
    const out = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [main, 'app', '--help'], { stdio: ['ignore', out, 'pipe'] });
    closeSync(out);
    const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
    assert.deepEqual([code, said.split('\n').length], [1, 2]);
    assert.match(said, /^heddle: what was to be printed cannot be written: the disk is full\n$/);
  });

  it('is asked for by the word in front of a command, too, which has to be one', async () => {
    const [asked, short] = [await heddle('app', 'list', '--help'), await heddle('help', 'app', 'list')];
    assert.deepEqual([short.code, short.out], [0, asked.out]);
    assert.deepEqual([(await heddle('app', 'help', 'list')).out, (await heddle('help')).code], [asked.out, 0]);
    for (const [words, said] of [
      [['help', 'nope'], /^heddle: unknown command 'nope'\n\(Did you mean node\?\)\n/],
      [['help', 'app', 'lst'], /^heddle: unknown command 'lst'\n\(Did you mean list\?\)\n {2}"heddle app" has list, /],
      [['app', 'help', 'lst'], /^heddle: unknown command 'lst'\n\(Did you mean list\?\)\n {2}"heddle app" has list, /],
    ] as const) {
      const { code, out, err } = await heddle(...words);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, said);
    }
    // A command that is run may have the name.
    assert.match((await heddle('run', 'help', '--cluster', 'http://127.0.0.1:1', '--instances', '0')).err, /whole number from 1/);
  });

  it('groups its commands, each in one of them, and says how to begin', async () => {
    const { out } = await heddle('--help');
    const names = [...out.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name]) => name);
    assert.deepEqual(
      ['A cluster on this machine:', 'Running something:', 'Looking, and changing:', 'Operating:', 'Further:'].filter(
        (heading) => !out.includes(`\n${heading}\n`),
      ),
      [],
    );
    assert.equal(new Set(names).size, names.length);
    assert.match(out, /\nFurther:\n {2}completion .*\n(?: {4,}.*\n)* {2}help .*\n\nTo begin: "heddle up"/);
  });

  it('refuses settings it cannot follow, and says whether they are valid', async () => {
    const conf = mkdtempSync(join(folder, 'conf-'));
    writeFileSync(
      join(conf, 'yarn-site.xml'),
      '<configuration><property><name>yarn.acl.enable</name><value>yes</value></property></configuration>',
    );
    const bad = await heddle('config', 'check', '--conf', conf);
    assert.equal(bad.code, 1);
    assert.match(bad.err, /yarn-site\.xml: yarn\.acl\.enable: 'yes' is not true or false/);
    writeFileSync(join(conf, 'yarn-site.xml'), '<configuration/>');
    writeFileSync(
      join(conf, 'capacity-scheduler.xml'),
      '<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property><property><name>yarn.scheduler.capacity.root.a.capacity</name><value>70</value></property></configuration>',
    );
    const queues = await heddle('config', 'check', '--conf', conf);
    assert.equal(queues.code, 1);
    assert.match(queues.err, /^heddle: capacity-scheduler\.xml: .*capacity/);
    assert.equal((await heddle('config', 'check')).code, 0);
    const open = await heddle('config', 'check', '--set', 'yarn.resourcemanager.webapp.address=0.0.0.0:8088');
    const bounds = await heddle('config', 'check', '--set', 'yarn.scheduler.maximum-allocation-mb=10');
    assert.match(bounds.err, /the smallest allocation \(1024\) is above the largest \(10\)/);
    assert.equal(open.code, 1);
    assert.match(open.err, /0\.0\.0\.0 can be reached by others, and no authentication is configured/);
    assert.equal(
      (
        await heddle(
          'config',
          'check',
          '--set',
          'yarn.resourcemanager.webapp.address=0.0.0.0:8088',
          '--set',
          'heddle.security.allow-unauthenticated=0.0.0.0',
        )
      ).code,
      0,
    );
    assert.match(
      (await heddle('config', 'explain', 'yarn.acl.enable', '--set', 'yarn.acl.enable=true')).out,
      /value +true\nfrom +command line/,
    );
  });

  it('names a port that is taken', async () => {
    const { code, err } = await startRole(
      'start',
      'timeline',
      '--set',
      `yarn.timeline-service.webapp.address=${new URL(url).host}`,
      '--data',
      join(folder, 'taken'),
    );
    assert.equal(code, 1);
    assert.match(err, /port \d+ on 127\.0\.0\.1 is in use/);
  });
});

describe('parts of commands', () => {
  it('read variables and files', () => {
    assert.deepEqual(readVariables(['A=b=c', 'D'], { D: 'e' }), { A: 'b=c', D: 'e' });
    assert.throws(() => readVariables(['1=2']), /no name of a variable/);
    const file = join(folder, 'data.txt');
    writeFileSync(file, 'hello');
    assert.deepEqual(readFiles([`${file}#input`, file, 'https://example/a%20b.txt?x=1', 's3a://bucket/lib.tgz#lib/']), [
      { name: 'input', type: 'FILE', path: file },
      { name: 'data.txt', type: 'FILE', path: file },
      { name: 'a b.txt', type: 'FILE', uri: 'https://example/a%20b.txt?x=1', said: '--file https://example/a%20b.txt?x=1' },
      { name: 'lib', type: 'ARCHIVE', uri: 's3a://bucket/lib.tgz', said: '--file s3a://bucket/lib.tgz#lib/' },
    ]);
    assert.equal(readFiles([`${file}#lib/`])[0]?.type, 'ARCHIVE');
    assert.throws(() => readFiles([file, file]), /two files data\.txt/);
  });

  it('flatten queues of every scheduler', () => {
    const fair = queueRows([
      { queueName: 'root', usedResources: { memory: 5, vCores: 1 }, childQueues: { queue: [{ queueName: 'root.a' }] } },
    ]);
    assert.deepEqual(
      fair.map(({ path, usedMemoryMiB }) => [path, usedMemoryMiB]),
      [
        ['root', 5],
        ['root.a', undefined],
      ],
    );
  });

  const parsed = async (...args: string[]) => {
    const refuse = () => Promise.reject(new Error('not here'));
    const program = await createProgram({ startRole: refuse, startRoleInThread: refuse, stores: refuse });
    return program.parseAsync([...args, '--cluster', 'http://127.0.0.1:1'], { from: 'user' });
  };

  it('refuse empty names and ids, but no empty parameters of programs', async () => {
    for (const [args, name] of [
      [['app', 'show', ''], 'application'],
      [['app', 'kill', 'application_1_0001', ''], 'application'],
      [['timeline', 'show', 'T', ''], 'id'],
      [['node', 'labels', 'h:1', ''], 'label'],
    ] as const)
      await assert.rejects(parsed(...args), { name: 'CommandFailure', message: `${name} is empty`, exitCode: 2 });
    for (const [args, name] of [
      [['run', '--queue', '', '--', 'true'], '--queue'],
      [['run', '--tag', 'a', '', '--', 'true'], '--tag'],
    ] as const)
      await assert.rejects(parsed(...args), { name: 'CommandFailure', message: `${name} is empty`, exitCode: 2 });
    await assert.rejects(parsed('run', '--label', '', 'true'), (error: Error) => !/is empty/.test(error.message));
    for (const [args, one, next] of [
      [['run', '--queue', '--name', 'true'], '--queue', '--name'],
      // What the other option takes stands alone then, and is not what is wrong.
      [['up', '--ports', '--data', '/tmp/x'], '--ports', '--data'],
    ] as const) {
      const message = `${one} has no value: what follows is the option ${next}`;
      await assert.rejects(parsed(...args), { name: 'CommandFailure', message, exitCode: 2 });
    }
    await assert.rejects(parsed('run', 'grep', ''), (error: Error) => !/is empty/.test(error.message));
  });

  it('say what to do about what Hadoop says of a failed application, too', () => {
    for (const [text, remedy] of [
      ['Application application_1_0001 submitted by user ada to unknown queue: nope', /heddle queue list/],
      ['Application application_1_0001 submitted by user : ada to non-leaf queue : people', /heddle queue list/],
      ['Invalid label resource request, cluster do not contain , label= gpu', /heddle label list/],
      ['Unknown queue: nope', /heddle queue list/],
      ['there is no queue nope; write the full name (root.…) of one that is made later', /heddle queue list/],
      ['Reservation is not enabled. Please enable & try again', /reservation-system\.enable=true/],
      ['Invalid resource request, node label not enabled but request contains label expression', /yarn\.node-labels\.enabled=true/],
      ['Timeline entity { id: a, type: b } is not found', /heddle timeline types/],
      ['Job commit from a prior MRAppMaster attempt is potentially in progress.', /Remove the output folder/],
      ['Job setup failed : Error: /data/out: it lies on a disk that cannot be written', /may not write in the folder of --data/],
      ['There is no stdout in container container_1_1_01_1, or its user does not get there.', /heddle container logs ID/],
      ['A container of 102400 MiB and 1 vcore is more than the largest allowed (6144 MiB, 4 vcores)', /--memory/],
    ] as const)
      assert.match(remedyByWords(text) ?? '', remedy, text);
    assert.equal(remedyByWords('Instance 0 failed with exit code 7 after 3 tries.'), undefined);
  });

  it('are found by the words of other tools, each of which names a command that there is', async () => {
    const refuse = () => Promise.reject(new Error('not here'));
    const program = await createProgram({ startRole: refuse, startRoleInThread: refuse, stores: refuse });
    const paths = new Set(completionWords(program).map(({ path }) => path));
    for (const [there, here] of wordsOfOthers) {
      const [noun = '', verb = ''] = here.split(' ');
      assert.ok(paths.has(`${noun} ${verb}`) || paths.has(noun) || noun === '--version', `${there}: ${here}`);
      assert.equal(calledHere(there.split(' ')), here, there);
      // One that is a command here, too, would never be told.
      assert.ok(!paths.has(there), there);
    }
    assert.equal(calledHere(['app', '-list']), 'app list');
    for (const args of [
      ['yarn', 'application', '-list'],
      ['nomad', 'alloc', 'logs'],
      ['mapred', 'job', '-kill', 'job_1_1'],
    ])
      assert.equal(calledHere(args), calledHere(args.slice(1)));
    for (const [args, says] of [
      [['yarn'], /"heddle --help" lists the commands, docs\/operate\/commands\.md has them beside those of yarn/],
      [['yarn', 'nothing'], /heddle config client DIR/],
      [['hadoop', 'fs', '-ls', '/'], /keeps no files: HDFS goes on beside it/],
      [['nomad', 'agent-info'], /beside those of nomad/],
    ] as const)
      assert.match(leadOn(args) ?? '', says);
    for (const args of [['app'], ['constructor'], []]) assert.equal(leadOn(args), undefined);
    for (const args of [['app', 'lst'], ['app', '--nope'], ['run', '--nope'], ['constructor'], ['yarn'], []])
      assert.equal(calledHere(args), undefined);
  });

  it('of the timeline take no filter that version 1 would take for two', async () => {
    await assert.rejects(parsed('timeline', 'list', 'T', '--where', 'a:b,c:d'), {
      name: 'CommandFailure',
      message: "--where: 'a:b,c:d' has a comma",
    });
  });

  it('load what they need alone: each is there by its first word, with few beside it', async () => {
    const refuse = () => Promise.reject(new Error('not here'));
    const host = { startRole: refuse, startRoleInThread: refuse, stores: refuse };
    const namesOf = async (...args: string[]) => (await createProgram(host, args)).commands.map((command) => command.name());
    const all = (await namesOf()).filter((name) => name !== 'completion');
    assert.ok(all.length > 25, all.join());
    for (const name of all) {
      const names = await namesOf(name);
      assert.ok(names.includes(name) && names.length <= 4, `${name}: ${names.join()}`);
    }
    assert.ok((await namesOf('complete', '--', 'queue', 'show', '')).includes('queue'));
    for (const words of [['completion'], ['help'], ['help', 'app'], ['nope'], ['-h'], ['complete', 'nope']])
      assert.ok((await namesOf(...words)).length > (words[0] === 'complete' ? 2 : 25), words.join(' '));
  });

  it('load neither a logger nor what some others need', async () => {
    const told = join(folder, 'told.mjs');
    writeFileSync(
      told,
      `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (asked, context, next) => {
        const found = next(asked, context);
        const [, library] = /node_modules[/](\\w+)/.exec(found.url) ?? [];
        if (library) console.error('library ' + library);
        return found;
      } });`,
    );
    for (const words of [
      ['node', 'list'],
      ['app', 'list'],
      ['run', 'true'],
      ['job', 'list'],
    ]) {
      const child = spawn(process.execPath, ['--import', told, main, ...words, '--help'], { stdio: ['ignore', 'ignore', 'pipe'] });
      const libraries = new Set([...(await text(child.stderr)).matchAll(/^library (\w+)/gm)].map(([, name]) => name));
      assert.deepEqual([...libraries], ['commander'], words.join(' '));
    }
  });

  it('complete every command', async () => {
    const refuse = () => Promise.reject(new Error('not here'));
    const program = await createProgram({ startRole: refuse, startRoleInThread: refuse, stores: refuse });
    assert.ok(program instanceof Command);
    const words = new Map(completionWords(program).map(({ path, words }) => [path, words]));
    assert.ok(words.get('')?.includes('up'));
    assert.ok(words.get('app logs')?.includes('--follow'));
    assert.ok(!words.get('')?.includes('command-master'));
  });
});
