// What is said while a cluster starts: commands wait for it, and nothing is ready before it works.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { freePorts } from '../support/ports.ts';
import { until } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

test('a command finds a cluster that is starting', async () => {
  const data = mkdtempSync(join(tmpdir(), 'heddle-starting-'));
  const cluster = spawn(process.execPath, [main, 'up', '--ports', 'auto', '--data', data], { stdio: 'ignore' });
  const ended = new Promise((resolve) => cluster.on('exit', resolve));
  try {
    await until('the cluster to claim its folder', async () => existsSync(join(data, 'cluster.json')), undefined, 1);
    const list = spawn(process.execPath, [main, 'queue', 'list', '--data', data, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    list.stdout.on('data', (chunk) => (output += chunk));
    assert.equal(await new Promise((resolve) => list.on('close', resolve)), 0);
    assert.match(output, /root\.default/);
  } finally {
    cluster.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
});

test('a node manager says that it is ready when the resource manager has it, and until then what keeps it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'heddle-ready-'));
  const [manager, node, shuffle, localizer] = await freePorts(4);
  const settings = {
    'yarn.resourcemanager.webapp.address': `127.0.0.1:${manager}`,
    'yarn.nodemanager.webapp.address': `127.0.0.1:${node}`,
    'yarn.nodemanager.localizer.address': `127.0.0.1:${localizer}`,
    'mapreduce.shuffle.port': `${shuffle}`,
    'heddle.cluster.secret-file': join(home, 'secret'),
    'heddle.log.level': 'silent',
  };
  const children: { child: ChildProcess; ended: Promise<unknown> }[] = [];
  const start = (role: string, name: string, more: Record<string, string> = {}) => {
    const set = Object.entries({ ...settings, ...more }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const child = spawn(process.execPath, [main, 'start', role, '--data', join(home, name), ...set], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = { child, ended: new Promise((resolve) => child.on('close', resolve)), output: '', errors: '' };
    child.stdout.on('data', (chunk) => (started.output += chunk));
    child.stderr.on('data', (chunk) => (started.errors += chunk));
    children.push(started);
    return started;
  };
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${node}/ready`);
    return [answer.status, await answer.text()] as const;
  };
  try {
    const alone = start('node-manager', 'node');
    await until('the node to say that nobody is there', async () => alone.output.includes('\n'));
    assert.match(alone.output, /answers at .*, but is not ready: no connection to the resource manager at .* since .* \(ECONNREFUSED\)\./);
    assert.doesNotMatch(alone.output, /is ready after/);
    assert.equal((await ready())[0], 503);
    start('resource-manager', 'manager');
    await until('the node to be ready', async () => /The node-manager is ready after/.test(alone.output));
    assert.deepEqual(await ready(), [200, '{"ready":true}']);
    assert.deepEqual((await fetch(`http://127.0.0.1:${manager}/ready`)).status, 200);
    alone.child.kill('SIGTERM');
    await alone.ended;

    writeFileSync(join(home, 'another'), 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=', { mode: 0o600 });
    const stranger = start('node-manager', 'node', {
      'heddle.cluster.secret-file': join(home, 'another'),
      'heddle.node-manager.exit-when-refused-after': '2s',
      'heddle.log.level': 'warn',
    });
    // On a busy machine it says first that it has no connection yet.
    await until('the node to say that it is refused', async () => stranger.output.includes('refused by'));
    assert.match(
      stranger.output,
      /but is not ready: refused by the resource manager at .*: the cluster secret of this node is not its own/,
    );
    assert.match((await ready())[1], /^\{"ready":false,"reason":"refused by the resource manager/);
    await stranger.ended;
    assert.equal(stranger.child.exitCode, 1);
    assert.match(stranger.errors, /"level":40,.*"reason":"refused by the resource manager.*"this node is not ready"/, 'its own log');

    const patient = start('node-manager', 'node', {
      'heddle.cluster.secret-file': join(home, 'another'),
      'heddle.node-manager.exit-when-refused-after': '1h',
    });
    await until('the node to say that it is refused', async () => patient.output.includes('refused by'));
    patient.child.kill('SIGTERM');
    await until('a refused node to stop when it is told to', async () => patient.child.exitCode === 0);
  } finally {
    for (const { child, ended } of children) {
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(home, { recursive: true, force: true });
  }
});

test('a cluster in the background is told of once its node takes work, and what it waits for until then', async () => {
  const home = mkdtempSync(join(tmpdir(), 'heddle-detached-'));
  const [data, script, healthy] = [join(home, 'data'), join(home, 'health.sh'), join(home, 'healthy')];
  writeFileSync(script, `#!/bin/bash\n[ -e '${healthy}' ] || echo 'ERROR not yet'\n`, { mode: 0o755 });
  const set = [
    'yarn.nodemanager.health-checker.scripts=own',
    `yarn.nodemanager.health-checker.own.path=${script}`,
    'yarn.nodemanager.health-checker.own.interval-ms=300',
  ].flatMap((each) => ['--set', each]);
  try {
    const up = spawn(process.execPath, [main, 'up', '--detach', '--ports', 'auto', '--data', data, ...set], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    up.stdout.on('data', (chunk) => (output += chunk));
    up.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise((resolve) => up.on('close', resolve));
    await until('it to say what it waits for', async () => {
      assert.equal(up.exitCode, null, `it has ended: ${output}${errors}`);
      return /heddle: node-manager is waited for: .*heddle node list --all/.test(errors);
    });
    assert.equal(output, '');
    writeFileSync(healthy, '');
    assert.equal(await ended, 0, errors);
    assert.match(output, /Heddle runs in the background/);
    assert.doesNotMatch(errors, /is not ready/);
  } finally {
    await new Promise((resolve) => spawn(process.execPath, [main, 'down', '--data', data], { stdio: 'ignore' }).on('close', resolve));
    rmSync(home, { recursive: true, force: true });
  }
});

test('a role whose store another program holds waits for it, and starts', async () => {
  const data = mkdtempSync(join(tmpdir(), 'heddle-held-'));
  const start = () => {
    const set = ['yarn.resourcemanager.webapp.address=127.0.0.1:0', 'yarn.timeline-service.enabled=false', 'heddle.log.level=silent'];
    const words = [main, 'start', 'resource-manager', '--data', data, '--json', ...set.flatMap((each) => ['--set', each])];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    const ended = new Promise<number | null>((done) => child.on('exit', done));
    return {
      ended,
      stop: () => child.kill('SIGTERM'),
      isReady: async () => output.includes('"ready":true'),
      hasEnded: () => child.exitCode !== null,
    };
  };
  try {
    const first = start();
    await until('the first to be ready', first.isReady);
    first.stop();
    await first.ended;
    const store = new DatabaseSync(join(data, 'resource-manager', 'state.sqlite'));
    store.exec('BEGIN IMMEDIATE');
    const second = start();
    await Promise.race([second.ended, new Promise((done) => setTimeout(done, 1500))]);
    assert.equal(second.hasEnded(), false, 'it waits');
    store.exec('ROLLBACK');
    store.close();
    await until('the second to be ready', second.isReady);
    second.stop();
    assert.equal(await second.ended, 0);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test('a role that is killed with -9 leaves what it compiled to the next start', async () => {
  const home = mkdtempSync(join(tmpdir(), 'heddle-compiled-'));
  const compiled = join(home, 'compiled');
  mkdirSync(compiled);
  const args = ['--data', join(home, 'data'), '--set', 'yarn.resourcemanager.webapp.address=127.0.0.1:0'];
  const child = spawn(process.execPath, [main, 'start', 'resource-manager', ...args], {
    stdio: 'ignore',
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    const kept = () => readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
    await until('compiled modules', async () => child.exitCode !== null || kept() > 100);
    assert.equal(child.exitCode, null, 'while it runs');
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
});
