import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { BadInput, type SimulationReport, type SimulationRequest, simulate } from './simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-simulate-'));
let files = 0;

function file(content: string | object, name = `${++files}.json`): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function runs(workload: string, more: Partial<SimulationRequest> & { set?: Record<string, string> } = {}): SimulationReport[] {
  const { set = {}, ...request } = more;
  const configuration = loadConfiguration({ dataDir: folder, set });
  return simulate({ workload, nodes: undefined, nodeSize: [10_240, 10], seed: undefined, queueFiles: [], configuration, ...request });
}
const run = (...given: Parameters<typeof runs>): SimulationReport => runs(...given)[0]!;

/** A capacity-scheduler.xml. */
const queues = (properties: Record<string, string>): string =>
  file(
    `<configuration>${Object.entries({
      'maximum-am-resource-percent': '1',
      'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
      ...properties,
    })
      .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
      .join('')}</configuration>`,
    `queues-${++files}.xml`,
  );
const twoQueues = (a: number, more: Record<string, string> = {}): string =>
  queues({
    'root.queues': 'a,b',
    'root.a.capacity': String(a),
    'root.b.capacity': String(100 - a),
    'root.a.user-limit-factor': '10',
    'root.b.user-limit-factor': '10',
    ...more,
  });

const slsJob = (more: object = {}) => ({
  'am.type': 'mapreduce',
  'job.start.ms': 0,
  'job.queue.name': 'default',
  'job.id': 'job_1',
  'job.user': 'ada',
  'job.tasks': [
    { 'container.host': '/rack/n1', 'container.start.ms': 0, 'container.end.ms': 10_000, 'container.type': 'map', count: 4 },
    { 'container.host': '/rack/n1', 'duration.ms': 5000, 'container.type': 'reduce', 'container.priority': 10 },
  ],
  ...more,
});

const classes = {
  class_name: 'c',
  user_name: 'u',
  class_weight: 1,
  type: 'mapreduce',
  tasks: [
    {
      type: 'map',
      priority: 20,
      count: { val: 5, std: 2 },
      time: { val: 10, std: 2 },
      max_memory: { discrete: ['1024', '2048'], weights: [1, 3] },
      max_vcores: { val: 1 },
    },
    {
      type: 'reduce',
      priority: 10,
      count: { val: 2 },
      time: { val: 20, std: 4, dist: 'NORM' },
      max_memory: { val: 2048 },
      max_vcores: { val: 1 },
    },
  ],
};
const synth = (jobClass: object = classes) => ({
  num_nodes: 3,
  nodes_per_rack: 2,
  num_jobs: 30,
  rand_seed: 2,
  workloads: [
    {
      workload_weight: 1,
      queue_name: 'default',
      job_classes: [jobClass],
      time_distribution: [
        { time: 1, weight: 1 },
        { time: 60, weight: 0 },
      ],
    },
  ],
});

describe('simulating', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('plays an SLS trace: reducers after mappers, what does not fit waits', () => {
    // Room for three containers: the master and two mappers at a time.
    const report = run(file(slsJob()), { nodeSize: [3072, 3] });
    assert.equal(report.makespanMs, 25_000);
    assert.deepEqual(report.jobs, { submitted: 1, finished: 1, refused: 0, unfinished: 0 });
    assert.equal(report.containers, 6);
    assert.deepEqual(report.taskWaits, { count: 5, mean: 4000, p50: 0, p95: 10_000, max: 10_000 });
    assert.deepEqual(
      report.queues.map(({ name, jobs, longestStarvationMs }) => [name, jobs, longestStarvationMs]),
      [['root.default', 1, 10_000]],
    );
    assert.deepEqual(report.jobTimes, { count: 1, mean: 25_000, p50: 25_000, p95: 25_000, max: 25_000 });
    // 1 GiB × (25 s master + 45 s tasks) of 3 GiB × 25 s.
    assert.equal(report.utilisation.memory, 0.9333);
  });

  it('reads jobs one after the other, their copies, nodes with labels from a file of their own', () => {
    const trace = file(`${JSON.stringify(slsJob({ 'job.count': 3 }))}\n${JSON.stringify(slsJob({ 'job.queue.name': 'nowhere' }))}`);
    const nodes = file({
      rack: 'r',
      nodes: [
        { node: 'n1', 'memory-mb': 8192, vcores: 8 },
        { node: 'n2', labels: 'gpu(exclusive=false)' },
      ],
    });
    const report = run(trace, { nodes });
    assert.deepEqual(report.jobs, { submitted: 4, finished: 3, refused: 1, unfinished: 0 });
    assert.equal(report.memoryMiB, 18_432);
    assert.match(report.refusals[0]!.reason, /unknown queue: nowhere/);
  });

  it('draws a SYNTH trace by the seed', () => {
    const trace = file(synth());
    const report = run(trace);
    assert.equal(report.jobs.finished, 30);
    assert.ok(report.containers > 30 * 4 && report.containers < 30 * 14, String(report.containers));
    assert.deepEqual(run(trace), report);
    assert.notDeepEqual(run(trace, { seed: 3 }).taskWaits, report.taskWaits);
    const old = { class_name: 'old', class_weight: 1, mtasks_avg: 5, mtasks_stddev: 1, rtasks_avg: 2, mtime_avg: 10, rtime_avg: 20 };
    const sizes = {
      map_max_memory_avg: 1024,
      map_max_memory_stddev: 0.001,
      reduce_max_memory_avg: 2048,
      map_max_vcores_avg: 1,
      reduce_max_vcores_avg: 1,
    };
    assert.equal(run(file(synth({ ...old, ...sizes }))).jobs.finished, 30);
  });

  it('reads its own YAML: users in turn, stages, spread, labels, a queue file beside it', () => {
    const workload = file(
      [
        `queues: ${twoQueues(50, {
          'root.accessible-node-labels.gpu.capacity': '100',
          'root.a.accessible-node-labels': 'gpu',
          'root.a.accessible-node-labels.gpu.capacity': '100',
        })}`,
        'nodes: [{count: 2, memory: 4GiB, vcores: 4}, {memory: 8192, vcores: 8, label: gpu}]',
        'jobs:',
        '  - {name: many, count: 4, every: 10s, users: [ada, bob], queue: b, tasks: [{count: 3, duration: 20s, spread: 0.5}]}',
        '  - {name: steps, queue: a, label: gpu, arrival: 1m, tasks: [{duration: 30s, memory: 4GiB}, {stage: 2, duration: 250ms}]}',
      ].join('\n'),
      'own.yaml',
    );
    const report = run(workload);
    assert.equal(report.jobs.finished, 5);
    assert.deepEqual(
      report.users.map(({ name, jobs }) => [name, jobs]),
      [
        ['ada', 2],
        ['bob', 2],
        ['default', 1],
      ],
    );
    assert.equal(report.makespanMs, 90_250);
  });

  it('answers what other queues would change, under capacity and fair', () => {
    const workload = file(
      [
        'nodes: [{memory: 10GiB, vcores: 10}]',
        'jobs:',
        '  - {name: big, user: ada, queue: root.a, tasks: [{count: 60, duration: 10s}]}',
        '  - {name: small, user: bob, queue: root.b, arrival: 1s, tasks: [{count: 8, duration: 10s}]}',
      ].join('\n'),
      'two.yaml',
    );
    const fair = file('<allocations><queue name="a"/><queue name="b"/></allocations>', 'fair.xml');
    const files = [twoQueues(90, { 'root.a.maximum-capacity': '100' }), twoQueues(40, { 'root.a.maximum-capacity': '40' }), fair];
    const [open, held, shared] = runs(workload, { queueFiles: files });
    const waitOf = (report: SimulationReport | undefined) => report!.queues.find(({ name }) => name === 'root.b')!.taskWaits.p50;
    assert.ok(waitOf(held) < waitOf(open), `${waitOf(held)} ${waitOf(open)}`);
    assert.ok(held!.makespanMs > open!.makespanMs);
    assert.equal(shared!.policy, 'fair');
    assert.equal(shared!.jobs.finished, 2);
  });

  it('preempts as the policy does, and does the lost work again', () => {
    const workload = file(
      [
        'nodes: [{memory: 10GiB, vcores: 10}]',
        'jobs:',
        '  - {name: big, user: ada, queue: root.a, tasks: [{count: 30, duration: 10m}]}',
        '  - {name: small, user: bob, queue: root.b, arrival: 1m, tasks: [{count: 4, duration: 1m}]}',
      ].join('\n'),
      'preempt.yaml',
    );
    const set = {
      'yarn.resourcemanager.scheduler.monitor.enable': 'true',
      'yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round': '1',
      'yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor': '1',
    };
    const file50 = twoQueues(50, { 'root.a.maximum-capacity': '100' });
    const report = run(workload, { queueFiles: [file50], set });
    assert.ok(report.preemptions.containers > 0);
    assert.ok(report.preemptions.lostMs > 0);
    assert.equal(report.jobs.finished, 2);
    const without = run(workload, { queueFiles: [file50] });
    assert.equal(without.preemptions.containers, 0);
    assert.ok(without.queues[1]!.masterWaits.max > report.queues[1]!.masterWaits.max);
  });

  it('ends although a job never does, and says what that one waits for', () => {
    const job = (more: string) => `nodes: [{memory: 4GiB, vcores: 4}]\njobs: [{tasks: [{duration: 1s, ${more}}]}]`;
    const report = run(file(job('hosts: [nowhere], relaxLocality: false'), 'stuck.yaml'));
    assert.equal(report.jobs.unfinished, 1);
    assert.match(report.stuck[0]!.sentence, /wants 1024 MiB and 1 vcore on nowhere only/);
    assert.match(
      run(file(job('memory: 6GiB'), 'large.yaml')).refusals[0]!.reason,
      /6144 MiB and 1 vcore is larger than the largest allowed/,
    );
  });

  it('names file, position and remedy of what is broken', () => {
    const good = file(slsJob());
    const bad: [RegExp, () => unknown][] = [
      [/none\.json: there is no such file/, () => run(join(folder, 'none.json'))],
      [/line 2, column 10: the JSON is broken/, () => run(file('{"job.id": "x",\n"tasks":[}]}'))],
      [/line 1, column 1: the object that begins here does not end/, () => run(file('{"job.tasks": ['))],
      [/object 1: is neither a job of SLS .* nor a SYNTH trace/, () => run(file({ hello: 1 }))],
      [/job 2, task 1: container.end.ms is missing/, () => run(file([slsJob(), { 'job.tasks': [{ 'container.start.ms': 1 }] }]))],
      [
        /job 1, task 1: container.vcores "many" is no number/,
        () => run(file({ 'job.tasks': [{ 'duration.ms': 1, 'container.vcores': 'many' }] })),
      ],
      [/workload 1: job_classes is missing/, () => run(file({ num_jobs: 1, workloads: [{}] }))],
      [/class 1, task 1, count: is no object/, () => run(file(synth({ ...classes, tasks: [{ type: 'map' }] })))],
      [/bad1\.yaml, line 2: cuont is unknown in a line of nodes/, () => run(file('nodes:\n  - cuont: 3\njobs: []', 'bad1.yaml'))],
      [
        /bad2\.yaml, line 3: duration 'soon' is not understood/,
        () => run(file('nodes: [{}]\njobs:\n- tasks: [{duration: soon}]', 'bad2.yaml')),
      ],
      [/bad3\.yaml, line 2, column 1: /, () => run(file('nodes: [{}\njobs: []', 'bad3.yaml'))],
      [/names no nodes/, () => run(file({ 'job.tasks': [{ 'duration.ms': 1 }] }))],
      [/rack 1, node 1: node is missing/, () => run(good, { nodes: file({ rack: 'r', nodes: [{}] }) })],
      [
        /queues-\d+\.xml, yarn\.scheduler\.capacity\.root\.a\.capacity: .*sum/,
        () => run(good, { queueFiles: [twoQueues(60, { 'root.a.capacity': '70' })] }),
      ],
      [/broken\.xml, line \d+: /, () => run(good, { queueFiles: [file('<configuration><property>', 'broken.xml')] })],
    ];
    for (const [pattern, work] of bad)
      assert.throws(work, (error) => {
        assert.ok(error instanceof BadInput, String(error));
        assert.match(error.message, pattern);
        assert.ok(error.remedy.length > 5);
        return true;
      });
  });
});
