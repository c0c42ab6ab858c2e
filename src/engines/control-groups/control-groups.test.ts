import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { engineConformance } from '../engine.conformance.ts';
import type { EngineOrder } from '../engine.ts';
import { createProcessEngine } from '../process/process-engine.ts';
import { type ControlGroupOptions, openControlGroups } from './control-groups.ts';
import { findHierarchies, makeBase } from './hierarchies.ts';

const common = { section: 'processes', deleteTimeoutMs: 2000, clock: systemClock, logger: silentLogger };
const cpu = { strict: true, nodeVcores: 8, processors: 4, percentage: 50 };
const memory = { enforced: true, swappiness: 0, softLimitPercentage: 90 };
const containerId = 'container_1_0001_01_000001';

suite('control groups as files', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'groups-')));
  after(() => rmSync(root, { recursive: true, force: true }));
  const at = (...parts: string[]) => readFileSync(join(root, ...parts), 'utf8');

  test('version 2: limits, weights and quotas by the memory and vcores of a container', async () => {
    mkdirSync(join(root, 'two', 'node', 'processes'), { recursive: true });
    for (const folder of ['two', 'two/node', 'two/node/processes']) {
      writeFileSync(join(root, folder, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
      writeFileSync(join(root, folder, 'cgroup.subtree_control'), 'memory\n');
      writeFileSync(join(root, folder, 'cgroup.procs'), '');
    }
    writeFileSync(join(root, 'mounts'), `cgroup2 ${join(root, 'two')} cgroup2 rw,nosuid 0 0\n`);
    const hierarchies = findHierarchies(join(root, 'mounts'));
    const options: ControlGroupOptions = {
      ...common,
      hierarchy: '/node',
      cpu,
      memory,
      maximumProcesses: 50,
      deleteTimeoutMs: 0,
      hierarchies,
    };
    const groups = openControlGroups(options)!;
    assert.equal(groups.missing.size, 0);
    assert.equal(at('two', 'cgroup.subtree_control'), '+cpu +pids');
    assert.equal(at('two', 'node', 'cpu.max'), '200000 100000');
    assert.deepEqual(await groups.create(containerId, { memoryMiB: 100, vcores: 2 }, []), [
      join(root, 'two', 'node', 'processes', containerId, 'cgroup.procs'),
    ]);
    const file = (name: string) => at('two', 'node', 'processes', containerId, name);
    assert.equal(file('memory.max'), String(100 * 1024 * 1024));
    assert.equal(file('memory.low'), String(90 * 1024 * 1024));
    assert.equal(file('cpu.weight'), '200');
    assert.equal(file('cpu.max'), '50000 100000');
    assert.equal(file('pids.max'), '50');
    groups.resize(containerId, { memoryMiB: 200, vcores: 8 });
    assert.equal(file('memory.max'), String(200 * 1024 * 1024));
    assert.equal(file('cpu.max'), 'max 100000');
    assert.deepEqual(groups.list(), [containerId]);
    writeFileSync(join(root, 'two', 'node', 'processes', containerId, 'memory.events'), 'low 0\noom 1\noom_kill 3\n');
    assert.deepEqual(await groups.end(containerId), { outOfMemory: true });
  });

  test('version 1: shares, quotas and limits in the hierarchy of each controller', async () => {
    const lines = ['memory', 'cpu', 'devices'].map((controller) => {
      mkdirSync(join(root, controller, 'node', 'processes'), { recursive: true });
      writeFileSync(join(root, controller, 'node', 'processes', 'cgroup.procs'), '');
      return `cgroup ${join(root, controller)} cgroup rw,${controller} 0 0\n`;
    });
    writeFileSync(join(root, 'mounts'), lines.join(''));
    const hierarchies = findHierarchies(join(root, 'mounts'));
    const groups = openControlGroups({
      ...common,
      hierarchy: '/node',
      cpu: { ...cpu, strict: false, percentage: 100 },
      memory: { ...memory, enforced: false },
      maximumProcesses: 50,
      devices: true,
      hierarchies,
    })!;
    assert.deepEqual([...groups.missing.keys()], ['pids']);
    await groups.create(containerId, { memoryMiB: 100, vcores: 2 }, [{ type: 'c', major: 195, minor: 1 }]);
    assert.equal(at('cpu', 'node', 'processes', containerId, 'cpu.shares'), '2048');
    assert.equal(at('cpu', 'node', 'processes', containerId, 'cpu.cfs_quota_us'), '-1');
    assert.equal(at('memory', 'node', 'processes', containerId, 'memory.soft_limit_in_bytes'), String(90 * 1024 * 1024));
    assert.equal(existsSync(join(root, 'memory', 'node', 'processes', containerId, 'memory.limit_in_bytes')), false);
    assert.equal(at('devices', 'node', 'processes', containerId, 'devices.deny'), 'c 195:1 rwm');
  });

  test('without any hierarchy there are none', () => {
    writeFileSync(join(root, 'mounts'), 'tmpfs / tmpfs rw 0 0\n');
    assert.equal(
      openControlGroups({ ...common, hierarchy: '/node', memory, hierarchies: findHierarchies(join(root, 'mounts')) }),
      undefined,
    );
  });
});

// From here on with the kernel's own groups.
const hierarchy = `/heddle-test-${process.pid}`;
const base = makeBase(findHierarchies(), hierarchy, ['memory', 'cpu', 'pids']);
const missing = base.missing.size > 0 ? `control groups cannot be used here: ${[...base.missing.values()].join('; ')}` : false;
for (const path of groupFolders()) rmdirSync(path);

if (missing) test('control groups of the kernel', { skip: missing }, () => undefined);
else
  engineConformance('process with control groups', (folder) =>
    createProcessEngine({
      folder,
      clock: systemClock,
      logger: silentLogger,
      controlGroups: openControlGroups({ ...common, hierarchy: `${hierarchy}-${basename(folder)}` })!,
    }),
  );

suite('control groups of the kernel', { skip: missing }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'groups-')));
  const options: ControlGroupOptions = {
    ...common,
    hierarchy,
    memory,
    maximumProcesses: 40,
    cpu: { ...cpu, nodeVcores: 4, percentage: 100 },
  };
  const groups = openControlGroups(options)!;
  const engine = createProcessEngine({ folder: join(root, 'state'), clock: systemClock, logger: silentLogger, controlGroups: groups });
  after(async () => {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
    for (const path of groupFolders()) assert.equal(existsSync(path), false, `${path} is left`);
  });
  let count = 100;
  const order = (script: string): EngineOrder => {
    const id = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
    writeFileSync(join(root, id), script);
    return { containerId: id, user: 'u', script: join(root, id), workFolder: root, environment: {}, limits: { memoryMiB: 32, vcores: 1 } };
  };
  const nothingLeft = (id: string) => {
    assert.deepEqual(groups.list().includes(id), false);
    assert.deepEqual(groups.processes(id), []);
  };

  test('a daemon that hides its environment and session ends with its container', async () => {
    const ordered = order(`(cd / && env -i setsid /bin/bash -c 'sleep 600 & echo $! > ${root}/hidden; wait' &) > /dev/null 2>&1
      until [ -s ${root}/hidden ]; do :; done; exit 3`);
    await engine.start(ordered);
    assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 3 });
    assert.equal(existsSync(`/proc/${readFileSync(join(root, 'hidden'), 'utf8').trim()}/cwd`), false);
    nothingLeft(ordered.containerId);
  });

  test('a container above its memory is ended by the kernel and says so', async () => {
    // A string that doubles until it is larger than the limit.
    const ordered = order('x=0123456789abcdef; while :; do x=$x$x; done');
    await engine.start(ordered);
    const exit = await engine.wait(ordered.containerId);
    assert.deepEqual(exit, { exitCode: 137, outOfMemory: true });
    nothingLeft(ordered.containerId);
  });

  test('a fork bomb stays below the limit of processes and ends with its container', async () => {
    const ordered = order('bomb() { bomb | bomb & }; bomb 2> /dev/null; sleep 600');
    await engine.start(ordered);
    while (groups.processes(ordered.containerId).length < 20) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(groups.processes(ordered.containerId).length <= 40);
    engine.signal(ordered.containerId, 'SIGKILL');
    assert.equal((await engine.wait(ordered.containerId)).exitCode, 137);
    nothingLeft(ordered.containerId);
    // The machine still starts processes.
    await new Promise((resolve) => spawn('true').on('exit', resolve));
  });

  test('a container gets new limits while it runs', async () => {
    const ordered = order('sleep 600');
    await engine.start(ordered);
    await engine.resize!(ordered.containerId, { memoryMiB: 64, vcores: 2 });
    const folder = base.folders.get('memory')!;
    const file = folder.version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
    assert.equal(readFileSync(join(folder.path, 'processes', ordered.containerId, file), 'utf8').trim(), String(64 * 1024 * 1024));
    engine.signal(ordered.containerId, 'SIGKILL');
    await engine.wait(ordered.containerId);
    nothingLeft(ordered.containerId);
  });
});

function groupFolders(): Set<string> {
  return new Set([...(base.unified ? [base.unified] : []), ...[...base.folders.values()].map((folder) => folder.path)]);
}
