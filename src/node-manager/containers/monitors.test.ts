// What looks at containers while they run and after: memory, logs, error files, folders of debugging.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { longestContainerTokenLifeMs } from '../../auth/container-token.ts';
import type { ContainerEngine, EngineUsage } from '../../engines/engine.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import type { UsageFigures } from '../../wire/cluster/node-channel.ts';
import type { ContainerUsed } from '../../wire/timeline/system-facts.ts';
import { NodeFolders } from '../folders.ts';
import { aggregationPolicy } from '../logs/aggregation-policy.ts';
import { LeftLogs } from '../logs/left-logs.ts';
import { startLogSizeMonitor } from '../logs/log-size-monitor.ts';
import { openNodeStore } from '../store/node-store.ts';
import { Container } from './container.ts';
import { addDirectoryTree, directoryInformation } from './debug-information.ts';
import { fullDisks, globPattern, readErrorFiles } from './failure-report.ts';
import { startUsageMonitor } from './usage-monitor.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-monitors-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const aFolder = (): string => {
  const path = join(root, String(++folders));
  mkdirSync(path);
  return path;
};

const containerId = 'container_1_0001_01_000002';
const applicationId = 'application_1_0001';
const order: ContainerStart = {
  containerId,
  applicationId,
  attemptId: 'appattempt_1_0001_000001',
  user: 'ann',
  resource: { memoryMiB: 100, vcores: 1 },
  priority: 0,
  queue: 'root.default',
  isMaster: false,
  applicationAcls: {},
  submitTimeMs: 1,
  maxAttempts: 2,
  launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
};
const turn = () => new Promise((done) => setImmediate(done));

describe('memory', () => {
  const MiB = 1024 ** 2;

  function monitored(options: { checkVirtual?: boolean; checkPhysical?: boolean } = {}) {
    const clock = new ManualClock(1_000_000);
    const container = new Container(order, clock, 1000);
    container.pid = 42;
    let used: Partial<EngineUsage> = {};
    const kills: { exitCode: number; diagnostics: string }[] = [];
    const reports: { containers: UsageFigures; count: number }[] = [];
    const machine: UsageFigures[] = [];
    const found: ContainerUsed[][] = [];
    const usage = async () =>
      new Map([[containerId, { physicalMemoryBytes: 0, virtualMemoryBytes: 0, cpuTimeMs: 0, processes: [], ...used }]]);
    const monitor = startUsageMonitor({
      engine: { usage } as unknown as ContainerEngine,
      clock,
      logger: silentLogger,
      containers: new Map([[containerId, container]]),
      kill: (_container, exitCode, diagnostics) => {
        kills.push({ exitCode, diagnostics });
        container.ending.abort();
      },
      checkPhysical: true,
      checkVirtual: true,
      virtualRatio: 2,
      checkIntervalMs: 3000,
      report: (node, containers, count) => {
        machine.push(node);
        reports.push({ containers, count });
      },
      used: (containers) => found.push([...containers]),
      ...options,
    });
    return {
      kills,
      machine,
      reports,
      found,
      monitor,
      container,
      async look(use: Partial<EngineUsage>, afterMs = 3000) {
        used = use;
        clock.advance(afterMs);
        for (let i = 0; i < 5; i++) await turn();
      },
    };
  }

  it('a little above the limit ends a container only when it lasts', async () => {
    const { look, kills, monitor } = monitored();
    await look({ physicalMemoryBytes: 120 * MiB });
    assert.equal(kills.length, 0);
    await look({ physicalMemoryBytes: 90 * MiB });
    await look({ physicalMemoryBytes: 120 * MiB });
    assert.equal(kills.length, 0);
    await look({ physicalMemoryBytes: 121 * MiB });
    assert.equal(kills.length, 1);
    assert.equal(kills[0]?.exitCode, -104);
    assert.match(kills[0]?.diagnostics ?? '', /beyond the 'PHYSICAL' memory limit/);
    // It is ending: it is not told twice.
    await look({ physicalMemoryBytes: 300 * MiB });
    assert.equal(kills.length, 1);
    await monitor.close();
  });

  it('far above the limit ends it at once; virtual memory by its ratio', async () => {
    const physical = monitored();
    await physical.look({ physicalMemoryBytes: 201 * MiB });
    assert.deepEqual(
      physical.kills.map(({ exitCode }) => exitCode),
      [-104],
    );
    const virtual = monitored();
    await virtual.look({ virtualMemoryBytes: 401 * MiB });
    assert.deepEqual(
      virtual.kills.map(({ exitCode }) => exitCode),
      [-103],
    );
    await Promise.all([physical.monitor.close(), virtual.monitor.close()]);
  });

  it('and processors of each container are told from the second check on', async () => {
    const { look, found, monitor } = monitored();
    await look({ physicalMemoryBytes: 5 * MiB, cpuTimeMs: 1000 });
    await look({ physicalMemoryBytes: 7 * MiB, cpuTimeMs: 5500 });
    assert.deepEqual(found, [[], [{ containerId, atMs: found[1]?.[0]?.atMs, memoryBytes: 7 * MiB, cpuPercent: 150 }]]);
    await monitor.close();
  });

  it('is not checked where a setting says so', async () => {
    const { look, kills, monitor } = monitored({ checkPhysical: false, checkVirtual: false });
    for (let i = 0; i < 3; i++) await look({ physicalMemoryBytes: 900 * MiB, virtualMemoryBytes: 9000 * MiB });
    assert.deepEqual(kills, []);
    await monitor.close();
  });

  it('of the machine is told before the first look', async () => {
    const { machine, reports, monitor } = monitored();
    assert.equal(reports.length, 1);
    assert.ok(machine[0]!.physicalMemoryMiB > 0);
    await monitor.close();
  });

  it('is reported with the cores in use since the last look', async () => {
    const { look, reports, monitor } = monitored();
    await look({ physicalMemoryBytes: 10 * MiB, virtualMemoryBytes: 20 * MiB, cpuTimeMs: 1000 });
    const first = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };
    assert.deepEqual(reports.at(-1), { containers: first, count: 1 }, 'a container counts from the second check on');
    await look({ physicalMemoryBytes: 30 * MiB, virtualMemoryBytes: 40 * MiB, cpuTimeMs: 7000 }, 3000);
    const last = reports.at(-1);
    assert.deepEqual([last?.containers.physicalMemoryMiB, last?.containers.virtualMemoryMiB, last?.count], [30, 40, 1]);
    assert.ok((last?.containers.cpuCores ?? 0) > 1.5, `${last?.containers.cpuCores}`);
    await monitor.close();
  });
});

describe('sizes of logs', () => {
  it('end a container that writes too much into one folder or into all of them', async () => {
    const [one, two] = [aFolder(), aFolder()];
    const places = new NodeFolders([aFolder()], [one, two], aFolder());
    const clock = new ManualClock(1_000_000);
    const container = new Container(order, clock, 1000);
    container.pid = 42;
    const killed: string[] = [];
    const monitor = startLogSizeMonitor({
      folders: places,
      clock,
      logger: silentLogger,
      containers: new Map([[containerId, container]]),
      kill: (_container, exitCode, words) => {
        killed.push(`${exitCode} ${words}`);
        container.ending.abort();
      },
      intervalMs: 1000,
      folderLimitBytes: 100,
      totalLimitBytes: 150,
    });
    const look = async () => {
      clock.advance(1000);
      await turn();
    };
    for (const log of places.containerLogs(applicationId, containerId)) mkdirSync(join(log, 'deep'), { recursive: true });
    const [first = '', second = ''] = places.containerLogs(applicationId, containerId);
    writeFileSync(join(first, 'deep', 'stdout'), 'x'.repeat(90));
    for (let i = 0; i < 50; i++) await look();
    assert.deepEqual(killed, []);
    writeFileSync(join(second, 'stderr'), 'x'.repeat(80));
    while (killed.length === 0) await look();
    await monitor.close();
    assert.match(killed[0] ?? '', /is logging beyond the container total log limit\.\nLimit: 150 Total Size: >=\d+/);
  });
});

describe('which logs are gathered', () => {
  const numbered = (number: number) => `container_1_0001_01_${String(number).padStart(6, '0')}`;
  const keeps =
    (policy: string, parameters = '') =>
    (number: number, isMaster: boolean, exitCode: number) =>
      aggregationPolicy(policy, parameters)({ containerId: numbered(number), isMaster, exitCode });

  it('is the policy of the class, whatever its package; all of them where it is unknown', () => {
    const cases = [
      ['AllContainerLogAggregationPolicy', [true, true, true, true]],
      ['org.apache.hadoop.x.NoneContainerLogAggregationPolicy', [false, false, false, false]],
      ['AMOnlyLogAggregationPolicy', [true, false, false, false]],
      ['FailedContainerLogAggregationPolicy', [false, false, true, false]],
      ['a.b$FailedOrKilledContainerLogAggregationPolicy', [false, false, true, true]],
      ['AMOrFailedContainerLogAggregationPolicy', [true, false, true, false]],
      ['constructor', [true, true, true, true]],
      ['', [true, true, true, true]],
    ] as const;
    for (const [policy, wanted] of cases) {
      const keep = keeps(policy);
      assert.deepEqual([keep(1, true, 0), keep(2, false, 0), keep(3, false, 1), keep(4, false, 137)], wanted, policy);
    }
  });

  it('samples the first containers, and a share of the others', () => {
    const keep = keeps('SampleContainerLogAggregationPolicy', 'SR:0.5,MIN:3');
    const kept = Array.from({ length: 40 }, (_, i) => i + 2).filter((number) => keep(number, false, 0));
    assert.deepEqual(kept.slice(0, 3), [2, 3, 4]);
    assert.ok(kept.length > 15 && kept.length < 27, String(kept));
    assert.deepEqual([keep(39, true, 0), keep(39, false, 1)], [true, true]);
    // Parameters that say nothing leave the defaults: every fifth after the first twenty.
    const usual = keeps('SampleContainerLogAggregationPolicy', 'SR:many,MIN:-1,X');
    assert.deepEqual([usual(21, false, 0), usual(23, false, 0), usual(25, false, 0)], [true, false, true]);
  });
});

describe('error files', () => {
  it('are shown by their end, the newest that matches', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'prelaunch.err'), 'before');
    writeFileSync(join(folder, 'stderr'), `${'x'.repeat(100)}the end`);
    writeFileSync(join(folder, 'stderr.1'), 'older');
    utimesSync(join(folder, 'stderr.1'), 1, 1);
    writeFileSync(join(folder, 'stdout'), 'not this');
    const text = await readErrorFiles(folder, { pattern: '{*stderr*,*STDERR*}', tailBytes: 7 });
    assert.equal(
      text,
      'Error file: prelaunch.err.\nLast 7 bytes of prelaunch.err :\nbeforeError files: stderr, stderr.1.\nLast 7 bytes of stderr :\nthe end\n',
    );
  });

  it('lead nowhere else: links, pipes and folders are not read', async () => {
    const folder = aFolder();
    const secret = join(aFolder(), 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(folder, 'prelaunch.err'));
    symlinkSync(secret, join(folder, 'stderr'));
    mkdirSync(join(folder, 'stderr.d'));
    execFileSync('mkfifo', [join(folder, 'stderr.pipe')]);
    assert.equal(await readErrorFiles(folder, { pattern: '*stderr*', tailBytes: 100 }), '');
    assert.equal(await readErrorFiles(join(folder, 'absent'), { pattern: '*', tailBytes: 100 }), '');
  });

  it('are no hard links to files of other users', { skip: process.getuid?.() !== 0 && 'needs root, to own files as others' }, async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'secret'), 'secret');
    const logs = aFolder();
    linkSync(join(folder, 'secret'), join(logs, 'stderr'));
    assert.match(await readErrorFiles(logs, { pattern: '*stderr*', tailBytes: 100 }), /secret/, "the owner's own");
    chownSync(logs, 61_666, 61_666);
    assert.equal(await readErrorFiles(logs, { pattern: '*stderr*', tailBytes: 100 }), '');
  });

  it('are chosen by globs in which nothing else means anything', () => {
    const matches = (glob: string, name: string) => globPattern(glob).test(name);
    assert.deepEqual(
      [
        matches('*err*', 'stderr'),
        matches('a?c', 'abc'),
        matches('a?c', 'a/c'),
        matches('{a,b}.log', 'b.log'),
        matches('{a,b}.log', 'c.log'),
      ],
      [true, true, false, true, false],
    );
    assert.deepEqual(
      [matches('a.c', 'abc'), matches('a+', 'aa'), matches('(x)', '(x)'), matches('{open', 'open'), matches('a}b', 'a}b')],
      [false, false, true, true, true],
    );
  });

  it('say nothing of disks that have room', async () => {
    assert.equal(await fullDisks([aFolder(), '/absent']), '');
  });
});

describe('folders for people who look for a missing file', () => {
  const folders = { hold: async (path: string) => ({ path, [Symbol.dispose]: () => undefined }) };

  it('list what there is, the links that will be made, and links that lead nowhere', async () => {
    const folder = aFolder();
    const file = join(aFolder(), 'directory.info');
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'd', 'f'), 'four');
    symlinkSync('/absent/target', join(folder, 'broken'));
    writeFileSync(file, await directoryInformation(folders, folder, new Map([['job.jar', '/cache/1/job.jar']])));
    await addDirectoryTree(file, folders, folder);
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^ls -l:\n/);
    assert.match(text, /lrwxrwxrwx job\.jar -> \/cache\/1\/job\.jar/);
    assert.match(text, /-rw\S+ 1 \d+ \d+ 4 \S+ \.\/d\/f/);
    assert.match(text, /broken symlinks.*:\n\.\/broken -> \/absent\/target\n$/s);
  });

  it('show nothing of what the container cannot see: only links to folders of the node are followed', async () => {
    const [root, elsewhere] = [aFolder(), aFolder()];
    const guarded = new NodeFolders([join(root, 'local')], [join(root, 'logs')], join(root, 'recovery'), { isGuarded: true });
    const work = join(root, 'local/work');
    for (const made of [join(work, 'd'), join(root, 'local/cache/job')]) mkdirSync(made, { recursive: true });
    writeFileSync(join(root, 'local/cache/job/brought'), '');
    writeFileSync(join(elsewhere, 'secret'), '');
    symlinkSync('../cache/job', join(work, 'job'));
    symlinkSync(elsewhere, join(work, 'out'));
    symlinkSync(join(elsewhere, 'secret', '..'), join(work, 'd/out'));
    symlinkSync(join(elsewhere, 'absent'), join(work, 'guess'));
    symlinkSync('../cache/absent', join(work, 'broken'));
    const file = join(aFolder(), 'directory.info');
    await addDirectoryTree(file, guarded, work);
    const text = readFileSync(file, 'utf8');
    assert.match(text, / \.\/job\/brought\n/);
    assert.doesNotMatch(text, /out\/|secret\n/);
    assert.match(text, /l\S+ .* \.\/guess -> \S+absent\n[\s\S]*\nbroken symlinks.*:\n\.\/broken -> \.\.\/cache\/absent\n$/);
    // The folder itself may be one that was put into its place.
    renameSync(work, join(root, 'local/moved'));
    symlinkSync(elsewhere, work);
    assert.equal(await directoryInformation(guarded, work, new Map()), 'ls -l:\n');
  });

  it('end the list where it becomes long, and never fail', async () => {
    const folder = aFolder();
    for (let i = 0; i < 2100; i++) writeFileSync(join(folder, `f${i}`), '');
    const file = join(aFolder(), 'directory.info');
    await addDirectoryTree(file, folders, folder);
    assert.match(readFileSync(file, 'utf8'), /only the first 2000 entries/);
    await addDirectoryTree(join(folder, 'absent', 'x'), folders, folder);
  });
});

describe('the store of a node', () => {
  it('brings back everything after it was opened again, and forgets an application with its containers', async () => {
    const file = join(aFolder(), 'node.sqlite');
    const store = openNodeStore(file, { clock: systemClock, logger: silentLogger });
    const record = (id: string, application: string) => ({
      ...new Container({ ...order, containerId: id, applicationId: application }, new ManualClock(5), 10).record(),
    });
    for (const application of ['application_1_0001', 'application_1_0002']) {
      void store.saveApplication({ applicationId: application, user: 'ann', acls: {}, finished: false });
      await store.saveContainer(record(`container_1_${application.slice(-4)}_01_000001`, application));
    }
    store.saveDevices(containerId, [0, 2]);
    store.saveLeft({ id: 'application_1_0009', user: 'bob', acls: { VIEW_APP: '*' } });
    store.removeApplication('application_1_0001');
    await store.saveContainer(record('container_1_0002_01_000002', 'application_1_0002'));
    void store.forgetContainer({ containerId: 'container_1_0002_01_000001', applicationId: 'application_1_0002', exitCode: 3 });
    // Also before it is durable.
    assert.equal(store.pastExitCode('container_1_0002_01_000001'), 3);
    await store.durable();
    store.close();
    const again = openNodeStore(file, { clock: systemClock, logger: silentLogger });
    const { applications, containers, devices, left } = again.load();
    assert.deepEqual(
      applications.map((one) => one.applicationId),
      ['application_1_0002'],
    );
    assert.deepEqual(
      containers.map((one) => one.order.containerId),
      ['container_1_0002_01_000002'],
    );
    assert.deepEqual([[...devices], left], [[[containerId, [0, 2]]], [{ id: 'application_1_0009', user: 'bob', acls: { VIEW_APP: '*' } }]]);
    assert.equal(again.pastExitCode('container_1_0002_01_000001'), 3);
    again.removeApplication('application_1_0002');
    await again.durable();
    assert.equal(again.pastExitCode('container_1_0002_01_000001'), undefined);
    again.close();
  });

  it('remembers ended applications for as long as tokens of their containers may be shown', async () => {
    const file = join(aFolder(), 'state.db');
    const clock = new ManualClock(5);
    const store = openNodeStore(file, { clock, logger: silentLogger });
    store.rememberEnd('application_1_0001');
    // Also before it is durable.
    assert.deepEqual([store.hasEnded('application_1_0001'), store.hasEnded('application_1_0002')], [true, false]);
    await store.durable();
    store.close();
    const again = openNodeStore(file, { clock, logger: silentLogger });
    const endsNow = async (id: string) => {
      again.rememberEnd(id);
      await again.durable();
      return again.hasEnded('application_1_0001');
    };
    clock.advance(longestContainerTokenLifeMs);
    assert.equal(await endsNow('application_1_0002'), true);
    clock.advance(longestContainerTokenLifeMs + 1);
    assert.equal(await endsNow('application_1_0003'), false);
    again.close();
  });

  it('remembers who owned logs that stay, until they are deleted', () => {
    const logs = aFolder();
    const places = new NodeFolders([aFolder()], [logs], aFolder());
    const saved: string[] = [];
    const left = new LeftLogs({ saveLeft: ({ id }) => saved.push(`+${id}`), removeLeft: (id) => saved.push(`-${id}`) }, places, []);
    const application = { id: applicationId, user: 'ann', acls: {} };
    left.keep(application);
    assert.deepEqual([left.find(applicationId), saved], [undefined, []]);
    mkdirSync(places.applicationLogs(logs, applicationId));
    left.keep(application);
    left.deleted(applicationId);
    assert.equal(left.find(applicationId)?.user, 'ann');
    rmSync(places.applicationLogs(logs, applicationId), { recursive: true });
    left.deleted(applicationId);
    assert.deepEqual([left.find(applicationId), saved, existsSync(logs)], [undefined, [`+${applicationId}`, `-${applicationId}`], true]);
  });
});
