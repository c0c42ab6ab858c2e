import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findHierarchies, makeBase } from '../engines/control-groups/hierarchies.ts';
import type { LocalResource } from '../wire/cluster/launch-context.ts';
import { serve } from './test-support/local-cache.ts';
import { type NodeFixture, startNode } from './test-support/node-fixture.ts';

/** Resolves when the container has written its first line to the log `stdout`. */
async function ready(node: NodeFixture, containerId: string): Promise<void> {
  await node.resourceManager.running(containerId);
  const answer = await node.get(`/api/v1/containers/${containerId}/logs/stdout?follow=true`);
  const reader = answer.body!.getReader();
  await reader.read();
  await reader.cancel();
}

test('a container runs its command in its folder with YARN variables and reports its end', async () => {
  await using node = await startNode();
  const order = node.order('echo "$CONTAINER_ID" "$USER" "$MY" "$(basename "$PWD")" {{OTHER}} > <LOG_DIR>/stdout; exit 0', {
    launch: { environment: { MY: 'mine:{{OTHER}}', OTHER: 'b<CPS>c' } },
  });
  node.start(order);
  const report = await node.resourceManager.complete(order.containerId);
  assert.equal(report.exitCode, 0);
  assert.equal(report.diagnostics, '');
  const log = await (await node.get(`/ws/v1/node/containers/${order.containerId}/logs/stdout`)).text();
  // The command stands in double quotes: its variables are those of the script.
  assert.match(log, new RegExp(`LogContents:\n${order.containerId} ada mine:b:c ${order.containerId} b:c\nEnd of LogType:stdout`));
});

test('a failed container shows its code and what it wrote to standard error', async () => {
  await using node = await startNode();
  const order = node.order('echo complained >&2; exit 3');
  node.start(order);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, 3);
  const dateless = diagnostics.replace(/\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\]/g, '[]');
  const again =
    '[]Container exited with a non-zero exit code 3. Error file: prelaunch.err.\nLast 4096 bytes of prelaunch.err :\ncomplained\n\n';
  assert.equal(dateless, `[]Exception from container-launch.\nContainer id: ${order.containerId}\nExit code: 3\n\n${again}${again}`);
});

test('signals reach the container and are noted', async () => {
  await using node = await startNode();
  // The trap says itself what the test looks for: whether bash adds "Terminated" depends on whether a sleep runs just then.
  const order = node.order("trap 'echo stopping >&2; exit 9' TERM; echo ready > <LOG_DIR>/stdout; while true; do sleep 0.05; done");
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const follow = await node.get(`/api/v1/containers/${order.containerId}/logs/stdout?follow=true`);
  const reader = follow.body!.getReader();
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'ready\n');
  for (const command of ['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN'] as const)
    node.resourceManager.send({ type: 'signalContainers', containers: [{ containerId: order.containerId, command }] });
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, 9);
  assert.match(
    diagnostics,
    /Sent signal OUTPUT_THREAD_DUMP \(SIGQUIT\) to pid \d+ as user \w+ for container \S+, result=success\n\[[^\]]*\]Sent signal GRACEFUL_SHUTDOWN \(SIGTERM\)/,
  );
  assert.match(diagnostics, /Last 4096 bytes of prelaunch\.err :\n(?:[^\n[]+\n)*stopping\n\n\[/);
  assert.equal((await reader.read()).done, true);
});

test('a kill by signal from outside is told as such', async () => {
  await using node = await startNode();
  const order = node.order('sleep 600');
  node.start(order);
  await node.resourceManager.running(order.containerId);
  node.resourceManager.send({ type: 'signalContainers', containers: [{ containerId: order.containerId, command: 'FORCEFUL_SHUTDOWN' }] });
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, 137);
  assert.match(
    diagnostics.replace(/\[[^\]]*\]/g, '[]'),
    /result=success\n\[\]Container killed on request\. Exit code is 137\n\[\]Container exited with a non-zero exit code 137\. \n\[\]Killed by external signal\n$/,
  );
});

test('a signal that comes before the process runs waits for it', async () => {
  await using node = await startNode();
  const order = node.order('sleep 600');
  node.start(order);
  node.resourceManager.send({ type: 'signalContainers', containers: [{ containerId: order.containerId, command: 'FORCEFUL_SHUTDOWN' }] });
  const { exitCode } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, 137);
});

test('a stop ends the container with the given code and words, stubborn ones after the delay', async () => {
  await using node = await startNode({ 'yarn.nodemanager.sleep-delay-before-sigkill.ms': '30' });
  const order = node.order("trap '' TERM; echo ready > <LOG_DIR>/stdout; while true; do sleep 1; done");
  node.start(order);
  await ready(node, order.containerId);
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: order.containerId, exitCode: -105, diagnostics: 'Container killed by the ApplicationMaster.' }],
  });
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, -105);
  assert.match(
    diagnostics.replace(/\[[^\]]*\]/g, '[]'),
    /^\[\]Container killed by the ApplicationMaster\.\n\[\]Container killed on request\. Exit code is 137\n\[\]Container exited with a non-zero exit code 137\. \n$/,
  );
});

test('a stop that follows its start at once, and one for an unknown container, end in a complete report', async () => {
  await using node = await startNode();
  const order = node.order('sleep 600');
  node.start(order);
  const stop = (containerId: string) => ({ containerId, exitCode: -106, diagnostics: 'gone' });
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [stop(order.containerId), stop('container_1700000000000_0009_01_000001')],
  });
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, -106);
  assert.equal((await node.resourceManager.complete('container_1700000000000_0009_01_000001')).exitCode, -106);
});

test('a missing resource fails the container with -1000 before it runs', async () => {
  await using node = await startNode();
  const order = node.order('true', {
    launch: {
      localResources: { words: { resource: 'file:///no/such/file', type: 'FILE', visibility: 'APPLICATION', size: 1, timestamp: 1 } },
    },
  });
  node.start(order);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, -1000);
  assert.match(
    diagnostics,
    /\]File file:\/no\/such\/file does not exist\njava\.io\.FileNotFoundException: File file:\/no\/such\/file does not exist\n/,
  );
});

test('a container above its memory is ended with -104', async () => {
  await using node = await startNode({ 'yarn.nodemanager.container-monitor.interval-ms': '50' });
  const order = node.order(
    'node -e "const a = Buffer.alloc(300 * 1024 * 1024, 1); setInterval(() => a.length, 1000)"'.replaceAll('"', '\\"'),
    {
      resource: { memoryMiB: 64, vcores: 1 },
    },
  );
  node.start(order);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, -104);
  assert.match(
    diagnostics,
    /Container \[pid=\d+,containerID=\S+\] is running \d+B beyond the 'PHYSICAL' memory limit\. Current usage: [\d.]+ [MG]B of 64 MB physical memory used; [\d.]+ GB of 134\.4 MB virtual memory used\. Killing container\.\nDump of the process-tree/,
  );
});

test('a container that was made larger may use more, one made smaller is ended above its new size', async () => {
  await using node = await startNode({ 'yarn.nodemanager.container-monitor.interval-ms': '30' });
  const order = node.order("node -e 'const a = Buffer.alloc(150 * 1024 * 1024, 1); setInterval(() => a.length, 1000)'", {
    resource: { memoryMiB: 1024, vcores: 1 },
  });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const resize = (memoryMiB: number) =>
    node.resourceManager.send({
      type: 'updateContainers',
      containers: [{ containerId: order.containerId, resource: { memoryMiB, vcores: 1 } }],
    });
  resize(2048);
  const path = `/ws/v1/node/containers/${order.containerId}`;
  const needed = async () =>
    ((await (await node.get(path)).json()) as { container: { totalMemoryNeededMB: number } }).container.totalMemoryNeededMB;
  while ((await needed()) !== 2048) await new Promise((resolve) => setImmediate(resolve));
  resize(64);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, -104);
  assert.match(diagnostics, /of 64 MB physical memory used/);
});

test('a container that fails is started again as its order says, in the same folder', async () => {
  await using node = await startNode({ 'yarn.nodemanager.container-retry-minimum-interval-ms': '1' });
  const order = node.order('echo again >> runs; [ \\$(wc -l < runs) -ge 3 ]', {
    launch: { retry: { policy: 'RETRY_ON_SPECIFIC_ERROR_CODES', errorCodes: [1], maximumRetries: 5 } },
  });
  node.start(order);
  const report = await node.resourceManager.complete(order.containerId);
  assert.equal(report.exitCode, 0);
  const failed =
    /Exception from container-launch\.\n.*\n.*\n\n\[[^\]]+\]Diagnostic message from attempt : \n\[[^\]]+\]Container exited with/g;
  assert.equal(report.diagnostics.match(failed)?.length, 2);
});

test('a container that waits to be started again can be ended', async () => {
  await using node = await startNode({ 'yarn.nodemanager.container-retry-minimum-interval-ms': '600000' });
  const order = node.order('exit 1', { launch: { retry: { policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: -1 } } });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const path = `/ws/v1/node/containers/${order.containerId}`;
  const state = async () => ((await (await node.get(path)).json()) as { container: { state: string } }).container.state;
  while ((await state()) !== 'RELAUNCHING') await new Promise((resolve) => setImmediate(resolve));
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: order.containerId, exitCode: -105, diagnostics: 'no longer wanted' }],
  });
  const report = await node.resourceManager.complete(order.containerId);
  assert.equal(report.exitCode, -105);
});

test('a restart of the node leaves containers running, adopts them and learns of those that ended meanwhile', async () => {
  await using node = await startNode({ 'yarn.nodemanager.recovery.supervised': 'true' });
  const long = node.order('echo $$ > <LOG_DIR>/pid; mkfifo gate; read -r code < gate; exit $code'.replaceAll('$', '\\$'));
  const short = node.order('exit 4');
  node.start(long);
  node.start(short);
  await node.resourceManager.running(long.containerId);
  await node.resourceManager.complete(short.containerId);
  await node.restart();
  const registered = node.resourceManager.registrations().at(-1)!;
  const states = Object.fromEntries(registered.containers.map(({ containerId, state, exitCode }) => [containerId, [state, exitCode]]));
  assert.deepEqual(states, { [long.containerId]: ['RUNNING', -1000], [short.containerId]: ['COMPLETE', 4] });
  const work = `${node.dataDir}/node-manager/local/usercache/ada/appcache/${long.applicationId}/${long.containerId}`;
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${work}/gate`, '6\n');
  assert.equal((await node.resourceManager.complete(long.containerId)).exitCode, 6);
});

test('a node that stops for good ends its containers and says that it leaves, and nothing of each of them: no other master is to start on it meanwhile', async () => {
  await using node = await startNode();
  const [long, short] = [node.order('sleep 600'), node.order('exit 4')];
  node.start(long);
  node.start(short);
  await node.resourceManager.running(long.containerId);
  await node.resourceManager.complete(short.containerId);
  const before = node.resourceManager.heard.length;
  await node.restart();
  const told = node.resourceManager.heard.slice(before);
  const leaves = told.findIndex(({ type }) => type === 'shutdown');
  const ends = told
    .slice(0, leaves + 1)
    .filter((message) => message.type === 'containers' && message.reports.some(({ state }) => state === 'COMPLETE'));
  assert.ok(leaves >= 0);
  assert.deepEqual(ends, []);
});

test('the end of an application ends its containers, aggregates their logs and leaves nothing', async () => {
  await using node = await startNode({ 'yarn.log-aggregation-enable': 'true' });
  const order = node.order('echo kept > <LOG_DIR>/stdout; sleep 600');
  node.start(order);
  await ready(node, order.containerId);
  node.resourceManager.send({ type: 'finishApplications', applicationIds: [order.applicationId] });
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, -107);
  const aggregated = await node.resourceManager.until(() => node.resourceManager.heard.find(({ type }) => type === 'logAggregation'));
  assert.deepEqual(aggregated, { type: 'logAggregation', applicationId: order.applicationId, status: 'SUCCEEDED', diagnostics: '' });
  const { existsSync, readdirSync } = await import('node:fs');
  const folder = `${node.dataDir}/aggregated-logs/ada/bucket-logs-tfile/0001/${order.applicationId}`;
  assert.deepEqual(readdirSync(folder), ['127.0.0.1_45454']);
  assert.equal(existsSync(`${node.dataDir}/node-manager/local/usercache/ada/appcache/${order.applicationId}`), false);
});

test('a container that leaves daemons and grows beyond its memory is ended with a diagnosis, and nothing of it is left', async (context) => {
  const hierarchy = `/heddle-test-${process.pid}`;
  const base = makeBase(findHierarchies(), hierarchy, ['memory', 'pids']);
  if (base.missing.size > 0) return context.skip([...base.missing.values()].join('; '));
  {
    await using node = await startNode({
      'heddle.node-manager.cgroups': 'required',
      'yarn.nodemanager.resource.memory.enabled': 'true',
      'heddle.node-manager.maximum-processes': '64',
      'yarn.nodemanager.linux-container-executor.cgroups.hierarchy': hierarchy,
    });
    const greedy = node.order('(env -i setsid sleep 600 &) ; x=0123456789abcdef; while :; do x=\\$x\\$x; done', {
      resource: { memoryMiB: 32, vcores: 1 },
    });
    node.start(greedy);
    const { exitCode, diagnostics } = await node.resourceManager.complete(greedy.containerId);
    assert.equal(exitCode, -104);
    assert.match(diagnostics, /reached its limit of 32 MB physical memory, and the kernel ended processes of it\./);
    const next = node.order('exit 0');
    node.start(next);
    assert.equal((await node.resourceManager.complete(next.containerId)).exitCode, 0);
  }
  const folders = [base.unified!, ...[...base.folders.values()].map(({ path }) => path)];
  for (const folder of new Set(folders))
    for (const name of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
      assert.deepEqual(
        readdirSync(join(folder, name.name), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
        [],
      );
      rmdirSync(join(folder, name.name));
    }
  for (const folder of new Set(folders)) rmdirSync(folder);
});

test('a node that must have control groups and cannot says so', async () => {
  await assert.rejects(
    startNode({
      'heddle.node-manager.cgroups': 'required',
      'yarn.nodemanager.resource.memory.enabled': 'true',
      'yarn.nodemanager.linux-container-executor.cgroups.hierarchy': '/cgroup.procs',
    }),
    /heddle\.node-manager\.cgroups: control groups cannot be used .*Make \/cgroup\.procs writable/,
  );
});

test('a container that logs more than it may is ended with the reason; its neighbours go on', async () => {
  await using node = await startNode({
    'yarn.nodemanager.container-log-monitor.enable': 'true',
    'yarn.nodemanager.container-log-monitor.interval-ms': '50',
    'yarn.nodemanager.container-log-monitor.dir-size-limit-bytes': '1000000',
  });
  const quiet = node.order('echo begun > <LOG_DIR>/stdout; exec sleep 600');
  const loud = node.order('head -c 30000000 /dev/zero > <LOG_DIR>/stdout; exec sleep 600');
  node.start(quiet);
  node.start(loud);
  const { exitCode, diagnostics } = await node.resourceManager.complete(loud.containerId);
  assert.equal(exitCode, -109);
  const folder = `${node.dataDir}/node-manager/logs/${loud.applicationId}/${loud.containerId}`;
  assert.match(
    diagnostics,
    new RegExp(
      `Container \\[pid=\\d+,containerID=${loud.containerId}\\] is logging beyond the container single log directory limit.\nLimit: 1000000 Log Directory Size: \\d+ Log Directory: ${folder}\nKilling container.\n`,
    ),
  );
  await ready(node, quiet.containerId);
});

test('logs that were rolled away are still shown by the node', async () => {
  await using node = await startNode({
    'yarn.log-aggregation-enable': 'true',
    'yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds': '1',
    'yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds.min': '1',
  });
  const order = node.order('echo rolled > <LOG_DIR>/app.log.1; echo open > <LOG_DIR>/stdout; exec sleep 600', {
    logAggregation: { rolledLogsIncludePattern: 'app' },
  });
  const growing = node.order('i=0; exec >> <LOG_DIR>/app.log; while true; do echo line \\$i; i=\\$((i+1)); sleep 0.01; done', {
    logAggregation: { rolledLogsIncludePattern: 'app' },
  });
  node.start(order);
  node.start(growing);
  await node.resourceManager.until(() => node.resourceManager.heard.some(({ type }) => type === 'logAggregation'));
  const logs = `/ws/v1/node/containers/${order.containerId}/logs`;
  const get = async (path: string) => (await node.get(path, { headers: { accept: '*/*' } })).text();
  let rolled = '';
  // The file goes from the node after it was gathered and reported.
  for (let tries = 0; tries < 1000 && !(rolled.includes('AGGREGATED') && !rolled.includes('LOCAL')); tries++)
    rolled = await get(`${logs}/app.log.1`);
  assert.match(rolled, /LogAggregationType: AGGREGATED[\s\S]*LogContents:\nrolled\n/);
  assert.match(await get(`${logs}/stdout`), /LogAggregationType: LOCAL[\s\S]*LogContents:\nopen\n/);
  assert.match(await get(logs), /"logAggregationType":"AGGREGATED"/);
  // Rolled while it is written, it is whole all the same, and so are its ranges.
  const raw = `/api/v1/containers/${growing.containerId}/logs/app.log`;
  await node.resourceManager.until(() => node.resourceManager.heard.filter(({ type }) => type === 'logAggregation').length > 2);
  const whole = await get(raw);
  assert.match(whole, /^(line \d+\n)+$/);
  assert.deepEqual(
    whole.trim().split('\n'),
    whole
      .trim()
      .split('\n')
      .map((_line, index) => `line ${index}`),
  );
  const part = await node.get(raw, { headers: { range: 'bytes=5-17' } });
  assert.deepEqual([part.status, await part.text()], [206, '0\nline 1\nline']);
});

test('resources that hang, explode, climb or may not be read fail their containers alone and leave nothing', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/words') response.end('words');
  });
  await using node = await startNode({
    'heddle.node-manager.localizer.stall-timeout': '500ms',
    'heddle.node-manager.localizer.maximum-entries': '3',
    'heddle.node-manager.localizer.maximum-bytes': '1m',
  });
  const packed = (name: string, script: string) => {
    const path = join(node.dataDir, name);
    execFileSync('bash', ['-c', script, 'bash', path], { cwd: node.dataDir });
    return {
      resource: `file://${path}`,
      type: 'ARCHIVE',
      visibility: 'PRIVATE',
      size: -1,
      timestamp: Math.floor(statSync(path).mtimeMs),
    } as const;
  };
  const web = (path: string) =>
    ({ resource: `http://${server.host}${path}`, type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp: 0 }) as const;
  const failures: [LocalResource, RegExp][] = [
    [web('/hangs'), /java.net.SocketTimeoutException: .*Read timed out/],
    [packed('large.tgz', 'head -c 5000000 /dev/zero > zeros; tar -czf "$1" zeros; rm zeros'), /is larger than 1048576 bytes unpacked/],
    [packed('many.tar', 'touch 1 2 3 4; tar -cf "$1" 1 2 3 4; rm 1 2 3 4'), /has more than 3 entries/],
    [packed('climb.tar', 'touch evil; tar -cPf "$1" --transform s,^,../../, evil; rm evil'), /would create file outside/],
    [{ ...web('/words'), resource: 'file:///proc/1/mem', timestamp: -1 }, /-1000|changed on src|Permission denied|does not exist/],
  ];
  for (const [resource, words] of failures) {
    const order = node.order('true', { launch: { localResources: { x: resource, words: web('/words') } } });
    node.start(order);
    const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
    assert.equal(exitCode, -1000);
    assert.match(diagnostics, words);
    await node.get('/ws/v1/node');
  }
  const order = node.order('cat words > <LOG_DIR>/stdout', { launch: { localResources: { words: web('/words') } } });
  node.start(order);
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
  const kept = readdirSync(join(node.dataDir, 'node-manager/local'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('appcache'))
    .map(({ name }) => name);
  assert.deepEqual(kept, ['words']);
});
