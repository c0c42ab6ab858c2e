import assert from 'node:assert/strict';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openLogStore } from '../../client/log-store.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { LogAggregationContext } from '../../wire/cluster/container-messages.ts';
import { applicationLogFolder, containerLogText, listContainerLogs } from '../../wire/files/aggregated-log-folder.ts';
import { Application, type ApplicationRecord } from '../applications/application.ts';
import type { Container } from '../containers/container.ts';
import { NodeFolders } from '../folders.ts';
import { LogAggregator } from './aggregation.ts';
import { aggregationPolicy } from './aggregation-policy.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'aggregation-')));
after(() => rmSync(root, { recursive: true, force: true }));
const id = 'application_1700000000000_0001';
const containerId = 'container_1700000000000_0001_01_000002';
let count = 0;

async function fixture(
  logAggregation: LogAggregationContext,
  options: {
    deleteDelayMs?: number;
    maximumRolledFiles?: number;
    pids?: number[];
  } = {},
) {
  const home = join(root, String(++count));
  const folders = new NodeFolders([join(home, 'local')], [join(home, 'logs')], home);
  const clock = new ManualClock(1_700_000_000_000);
  const store = await openLogStore({
    remoteDirectory: join(home, 'gathered'),
    suffix: 'logs',
    copies: join(home, 'copies'),
    property: () => undefined,
    clock,
    logger: silentLogger,
  });
  const reports: string[] = [];
  const make = (record: ConstructorParameters<typeof Application>[0]) => {
    const application = new Application(record);
    application.apply('initialize');
    application.apply('initialized');
    application.startedContainers.set(containerId, { isMaster: false, exitCode: 0 });
    return application;
  };
  /** What was durable, one after the other. */
  const records: ApplicationRecord[] = [];
  const stage: { application: Application; disk?: Promise<void> } = {
    application: make({ applicationId: id, user: 'ada', acls: {}, logAggregation }),
  };
  const run = (ended: boolean) => stage.application.containers.set(containerId, { ended } as Container);
  run(false);
  const aggregator = new LogAggregator({
    enabled: true,
    store,
    policy: 'All',
    policyParameters: '',
    rollIntervalMs: 1000,
    maximumRolledFiles: options.maximumRolledFiles ?? 30,
    deleteDelayMs: options.deleteDelayMs ?? 0,
    nodeId: () => 'node:45454',
    folders,
    clock,
    logger: silentLogger,
    // This very process has open what the test opens.
    processes: async () => new Map([[containerId, options.pids ?? [process.pid]]]),
    save: async (application) => {
      await stage.disk;
      records.push(application.record());
    },
    report: (_id, status) => void reports.push(status),
    maximumBytes: 2 ** 30,
    retryForMs: 60_000,
    settled: (_application, gathered) => void reports.push(gathered ? 'gathered' : 'given up'),
  });
  const logFolder = folders.containerLogs(id, containerId)[0]!;
  mkdirSync(logFolder, { recursive: true });
  const folder = applicationLogFolder(store.tree, 'ada', id);
  return {
    aggregator,
    clock,
    home,
    reports,
    folder,
    stage,
    run,
    log: (name: string) => join(logFolder, name),
    roll: async () => {
      clock.advance(1000);
      await aggregator.roll([stage.application]);
    },
    end: () => {
      run(true);
      stage.application.apply('finish');
      return aggregator.finish(stage.application);
    },
    records,
    /** A successor of the node manager, with what was durable last, or before that. */
    restart: (record: ApplicationRecord | undefined = records.at(-1)) => {
      stage.application = make(record ?? { applicationId: id, user: 'ada', acls: {}, logAggregation });
      run(false);
    },
    /** What was gathered of a file, put together. */
    gathered: async (name: string) => {
      let text = '';
      for await (const piece of containerLogText(folder, containerId, (file) => file.name === name)) text += piece.toString();
      return [...text.matchAll(/LogContents:\n([\s\S]*?)\nEnd of LogType/g)].map((match) => match[1]).join('');
    },
    names: async () => [...new Set((await listContainerLogs(folder)).flatMap(({ files }) => files.map(({ name }) => name)))].sort(),
  };
}

test('what a running application rolls away is gathered piece by piece, nothing twice and nothing lost', async () => {
  const { log, roll, end, gathered, reports, folder, restart } = await fixture({ rolledLogsIncludePattern: 'app' });
  writeFileSync(log('app.log'), 'one ');
  writeFileSync(log('stdout'), 'not rolled');
  await roll();
  assert.deepEqual(readdirSync(folder), ['node_45454_1700000001000']);
  appendFileSync(log('app.log'), 'two ');
  await roll();
  assert.equal(await gathered('app.log'), 'one two ');
  assert.equal(await gathered('stdout'), '');
  await roll();
  assert.equal(readdirSync(folder).length, 2);
  restart();
  writeFileSync(log('app.log'), 'three');
  await roll();
  appendFileSync(log('stdout'), ' to its end');
  appendFileSync(log('app.log'), ' four');
  await end();
  assert.equal(await gathered('app.log'), 'one two three four');
  assert.equal(await gathered('stdout'), 'not rolled to its end');
  assert.deepEqual(reports, ['RUNNING', 'RUNNING', 'RUNNING', 'SUCCEEDED']);
  assert.equal(existsSync(log('.')), false);
});

test('of a file that is mostly a hole only the end is gathered', async () => {
  const { log, end, folder } = await fixture({});
  writeFileSync(log('stdout'), 'before');
  truncateSync(log('stdout'), 3 * 2 ** 30);
  appendFileSync(log('stdout'), 'the end');
  await end();
  const { size } = statSync(join(folder, 'node_45454'));
  assert.ok(size < 20 * 2 ** 20, String(size));
});

test('what was gathered whole is not gathered again from what is left of it here', async () => {
  const { log, end, restart, folder, gathered, names, reports } = await fixture({});
  for (const name of ['stdout', 'stderr', 'syslog']) writeFileSync(log(name), name);
  await end();
  const whole = readFileSync(join(folder, 'node_45454'));
  restart();
  // The process before this one was killed while it deleted.
  mkdirSync(log('.'), { recursive: true });
  writeFileSync(log('stderr'), 'stderr');
  await end();
  assert.deepEqual(readdirSync(folder), ['node_45454']);
  assert.deepEqual(readFileSync(join(folder, 'node_45454')), whole);
  assert.deepEqual([await names(), await gathered('stdout')], [['stderr', 'stdout', 'syslog'], 'stdout']);
  assert.deepEqual([reports, existsSync(log('.'))], [['SUCCEEDED', 'SUCCEEDED'], false]);
});

// docs/protocol.md, P13.
test('local logs go only when it is durable that they were gathered', async () => {
  const { log, end, stage, folder } = await fixture({});
  writeFileSync(log('stdout'), 'words');
  const room = Promise.withResolvers<void>();
  stage.disk = room.promise;
  const ended = end();
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([existsSync(log('stdout')), existsSync(folder)], [true, false]);
  room.resolve();
  assert.equal(await ended, true);
  assert.equal(existsSync(log('stdout')), false);
});

for (const [when, roll] of [
  ['at the end', false],
  ['while it runs', true],
] as const)
  test(`a process killed before or after it put a file of gathered logs in its place gathers nothing twice and loses nothing: ${when}`, async () => {
    for (const isThere of [true, false]) {
      const stand = await fixture({ rolledLogsIncludePattern: 'std' }, { deleteDelayMs: -1 });
      const { log, folder, records, restart, gathered } = stand;
      writeFileSync(log('stdout'), 'words');
      await (roll ? stand.roll() : stand.end());
      const [file = ''] = readdirSync(folder);
      // The note of what is being written was durable, what came of it was not.
      const noted = records.find((record) => record.upload);
      assert.equal(noted?.upload?.file, file);
      if (!isThere) renameSync(join(folder, file), join(folder, `${file}.tmp`));
      restart(noted);
      if (roll) {
        await stand.roll();
        assert.equal(await gathered('stdout'), 'words');
        appendFileSync(log('stdout'), ', more');
      }
      await stand.end();
      assert.equal(await gathered('stdout'), roll ? 'words, more' : 'words', `${isThere}`);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.tmp')),
        [],
      );
    }
  });

test('what was rolled away before a process was killed is there, also where the application has removed its log since', async () => {
  const { log, end, roll, restart, records, gathered } = await fixture({ rolledLogsIncludePattern: 'std' }, { deleteDelayMs: -1 });
  writeFileSync(log('stdout'), 'words');
  await roll();
  restart(records.find((record) => record.upload));
  rmSync(log('stdout'));
  await roll();
  await end();
  assert.equal(await gathered('stdout'), 'words');
});

test('where nothing is to be gathered the folder of logs goes when that is durable', async () => {
  const { log, end, stage, records } = await fixture({});
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.disk = promise;
  const ended = end();
  for (let turn = 0; turn < 100; turn++) await new Promise((next) => setImmediate(next));
  assert.ok(existsSync(log('.')));
  resolve();
  await ended;
  assert.deepEqual([existsSync(log('.')), records.at(-1)?.logsGathered], [false, true]);
});

test('a file of gathered logs of which nothing was noted is never written over: what it lacks goes beside it', async () => {
  const { log, end, restart, folder, gathered, names } = await fixture({}, { deleteDelayMs: -1 });
  for (const name of ['stdout', 'stderr', 'grows']) writeFileSync(log(name), name);
  await end();
  const whole = readFileSync(join(folder, 'node_45454'));
  const nothing = { applicationId: id, user: 'ada', acls: {}, logAggregation: {}, finished: true };
  restart(nothing);
  rmSync(log('stdout'));
  await end();
  assert.deepEqual(readdirSync(folder), ['node_45454']);
  restart(nothing);
  writeFileSync(log('late'), 'late');
  appendFileSync(log('grows'), ' on');
  await end();
  assert.equal(readdirSync(folder).length, 2);
  assert.deepEqual(readFileSync(join(folder, 'node_45454')), whole);
  assert.deepEqual(await names(), ['grows', 'late', 'stderr', 'stdout']);
  for (const [name, text] of [
    ['grows', 'grows on'],
    ['late', 'late'],
    ['stderr', 'stderr'],
    ['stdout', 'stdout'],
  ] as const)
    assert.equal(await gathered(name), text);
});

test('closed files go from the node when they were gathered, open ones stay', async () => {
  const { log, roll, gathered } = await fixture({ rolledLogsIncludePattern: 'app', rolledLogsExcludePattern: 'skip' });
  writeFileSync(log('app.log.1'), 'closed');
  writeFileSync(log('app.skip'), 'left out');
  const open = openSync(log('app.log'), 'w');
  writeSync(open, 'open');
  await roll();
  assert.deepEqual(
    ['app.log', 'app.log.1', 'app.skip'].map((name) => existsSync(log(name))),
    [true, false, true],
  );
  closeSync(open);
  renameSync(log('app.log'), log('app.log.1'));
  writeFileSync(log('app.log'), '');
  await roll();
  assert.equal(existsSync(log('app.log.1')), false);
  assert.match(await gathered('app.log.1'), /^closed/);
  assert.equal(await gathered('app.skip'), '');
});

test('files stay where they shall be kept for a while, and while it cannot be told which process has them open', async () => {
  const delayed = await fixture({ rolledLogsIncludePattern: 'app' }, { deleteDelayMs: 5000 });
  writeFileSync(delayed.log('app.log'), 'words');
  await delayed.roll();
  await delayed.end();
  assert.equal(readFileSync(delayed.log('app.log'), 'utf8'), 'words');
  delayed.clock.advance(5000);
  while (existsSync(delayed.log('app.log'))) await new Promise((resolve) => setImmediate(resolve));
  const unknown = await fixture({ rolledLogsIncludePattern: 'app' }, { pids: [] });
  writeFileSync(unknown.log('app.log'), 'words');
  await unknown.roll();
  assert.equal(existsSync(unknown.log('app.log')), true);
  unknown.run(true);
  await unknown.roll();
  assert.equal(existsSync(unknown.log('app.log')), false);
  assert.equal(await unknown.gathered('app.log'), 'words');
});

test('an application keeps so many files of a node while it runs', async () => {
  const { log, roll, folder } = await fixture({ rolledLogsIncludePattern: 'app' }, { maximumRolledFiles: 2 });
  for (const words of ['1', '2', '3', '4']) {
    appendFileSync(log('app.log'), words);
    await roll();
  }
  assert.deepEqual(readdirSync(folder).sort(), ['node_45454_1700000003000', 'node_45454_1700000004000']);
});

test('patterns choose the files at the end; an application without them keeps all, in one file', async () => {
  const chosen = await fixture({ includePattern: 'std|keep', excludePattern: 'err' });
  const all = await fixture({});
  for (const { log, roll, end, folder } of [chosen, all]) {
    for (const name of ['stdout', 'stderr', 'keep.txt', 'other']) writeFileSync(log(name), name);
    await roll();
    assert.equal(existsSync(folder), false);
    await end();
    assert.deepEqual(readdirSync(folder), ['node_45454']);
  }
  assert.deepEqual(await chosen.names(), ['keep.txt', 'stdout']);
  assert.deepEqual(await all.names(), ['keep.txt', 'other', 'stderr', 'stdout']);
  const broken = await fixture({ includePattern: '(', excludePattern: '(a+)+$' });
  writeFileSync(broken.log('stdout'), 'words');
  await broken.end();
  assert.deepEqual(await broken.names(), ['stdout']);
});

test('what cannot be gathered stays readable on the node and is tried again, for so long', async () => {
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  };
  const { log, end, reports, aggregator, home, clock, gathered } = await fixture({});
  writeFileSync(log('stdout'), 'words');
  // A file where the folder of gathered logs should be.
  writeFileSync(join(home, 'gathered'), '');
  assert.equal(await end(), false);
  assert.deepEqual([reports, aggregator.waiting(id)?.user], [['FAILED'], 'ada']);
  clock.advance(10_000);
  await until(() => reports.length === 2);
  assert.equal(readFileSync(log('stdout'), 'utf8'), 'words');
  rmSync(join(home, 'gathered'));
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(20_000);
  await until(() => reports.includes('gathered'));
  assert.deepEqual(reports, ['FAILED', 'FAILED', 'SUCCEEDED', 'gathered']);
  assert.equal(await gathered('stdout'), 'words');
  assert.deepEqual([existsSync(log('.')), aggregator.waiting(id)], [false, undefined]);

  const never = await fixture({});
  writeFileSync(never.log('stdout'), 'words');
  writeFileSync(join(never.home, 'gathered'), '');
  await never.end();
  for (let tries = 1; !never.reports.includes('given up'); tries++) {
    assert.ok(tries < 10);
    never.clock.advance(60_000);
    await until(() => never.reports.length > tries);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([never.aggregator.waiting(id), existsSync(never.log('stdout'))], [undefined, true]);
});

test('each policy keeps the containers that Hadoop’s keeps', () => {
  const container = (number: number, exitCode: number) => ({
    containerId: `container_1700000000000_0001_01_${String(number).padStart(6, '0')}`,
    isMaster: number === 1,
    exitCode,
  });
  const kept = (name: string, parameters?: string) => {
    const policy = aggregationPolicy(`org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation.${name}`, parameters);
    return [container(1, 0), container(2, 0), container(3, 1), container(4, 143), container(5, 137), container(6, -104)].map(policy);
  };
  const [y, n] = [true, false];
  assert.deepEqual(kept('AllContainerLogAggregationPolicy'), [y, y, y, y, y, y]);
  assert.deepEqual(kept('NoneContainerLogAggregationPolicy'), [n, n, n, n, n, n]);
  assert.deepEqual(kept('AMOnlyLogAggregationPolicy'), [y, n, n, n, n, n]);
  assert.deepEqual(kept('AMOrFailedContainerLogAggregationPolicy'), [y, n, y, n, n, y]);
  assert.deepEqual(kept('FailedContainerLogAggregationPolicy'), [n, n, y, n, n, y]);
  assert.deepEqual(kept('FailedOrKilledContainerLogAggregationPolicy'), [n, n, y, y, y, y]);
  assert.deepEqual(kept('SomeoneElsesPolicy'), [y, y, y, y, y, y]);
  const sample = (parameters?: string) => {
    const policy = aggregationPolicy('SampleContainerLogAggregationPolicy', parameters);
    return Array.from({ length: 100 }, (_, index) => policy(container(index + 2, 0))).filter(Boolean).length;
  };
  assert.deepEqual([sample(), sample('SR:0,MIN:5'), sample('SR:0.5,MIN:0'), sample('SR:x,MIN:-1')], [36, 5, 50, 36]);
});

test('logs are written through no link, and as root into no folder of a stranger, whoever made it first', async () => {
  const outside = mkdtempSync(join(root, 'outside-'));
  const isRoot = process.getuid?.() === 0;
  const traps: ((user: string) => void)[] = [
    (user) => symlinkSync(outside, user),
    (user) => {
      mkdirSync(user);
      symlinkSync(outside, join(user, 'bucket-logs-tfile'));
    },
    (user) => {
      mkdirSync(join(user, 'bucket-logs-tfile'), { recursive: true });
      symlinkSync(outside, join(user, 'bucket-logs-tfile/0001'));
    },
    ...(isRoot
      ? [
          (user: string) => {
            mkdirSync(user);
            chownSync(user, 61_666, 61_666);
          },
        ]
      : []),
  ];
  for (const [number, trap] of traps.entries()) {
    const { home, end, log, reports } = await fixture({});
    mkdirSync(join(home, 'gathered'), { recursive: true });
    trap(join(home, 'gathered/ada'));
    writeFileSync(log('stdout'), 'a word');
    await end();
    assert.ok(reports.includes('FAILED'), `${number}: ${reports.join()}`);
    assert.deepEqual(readdirSync(outside), [], String(number));
  }
});

test('a link that stands where a file is about to be written is not followed', async () => {
  const { home, end, log, folder } = await fixture({});
  const target = join(home, 'target');
  writeFileSync(target, 'stays');
  mkdirSync(folder, { recursive: true });
  symlinkSync(target, join(folder, 'node_45454.tmp'));
  writeFileSync(log('stdout'), 'a word');
  await end();
  assert.equal(readFileSync(target, 'utf8'), 'stays');
  assert.ok(readdirSync(folder).includes('node_45454'));
});
