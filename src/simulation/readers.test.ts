// What the readers make of traces and workloads, and where they say a fault lies.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../lib/random.ts';
import { EventQueue } from './event-queue.ts';
import { BadInput } from './faults.ts';
import { Members, readJsonObjects } from './json-objects.ts';
import { readInput, readQueueFile, readWorkload } from './read-workload.ts';
import { isSlsJob, readSlsNodes, readSlsTrace } from './sls-trace.ts';
import { isSynthTrace, readSynthTrace } from './synth-trace.ts';
import { byArrival, regularNodes, type WorkloadContext } from './workload.ts';
import { readYamlWorkload } from './yaml-workload.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-readers-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const context: WorkloadContext = { file: 'work', seed: undefined, nodeSize: [8192, 8] };

/** Message and remedy of the refusal. */
function refusal(read: () => unknown): { message: string; remedy: string } {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof BadInput, String(error));
    return { message: error.message, remedy: error.remedy };
  }
  return assert.fail('it was taken');
}

describe('events', () => {
  it('come by time, those of one time in the order in which they were put', () => {
    const random = seededRandom(5);
    const queue = new EventQueue<{ atMs: number; put: number }>();
    const put: { atMs: number; put: number }[] = [];
    const taken: { atMs: number; put: number }[] = [];
    for (let i = 0; i < 2000; i++) {
      if (random.int(3) > 0) {
        // Never before what was taken already: time does not run backwards.
        const event = { atMs: (taken.at(-1)?.atMs ?? 0) + random.int(20), put: i };
        put.push(event);
        queue.put(event.atMs, event);
      } else if (queue.size > 0) {
        const nextMs = queue.nextMs;
        const event = queue.take() as { atMs: number; put: number };
        assert.equal(event.atMs, nextMs);
        taken.push(event);
      }
    }
    while (queue.size > 0) taken.push(queue.take() as { atMs: number; put: number });
    assert.deepEqual(
      taken,
      [...put].sort((a, b) => a.atMs - b.atMs || a.put - b.put),
    );
    assert.deepEqual([queue.take(), queue.nextMs, queue.size], [undefined, undefined, 0]);
  });
});

describe('objects of JSON', () => {
  it('stand one after the other, with or without commas, or in a list', () => {
    const objects = [{ a: 1 }, { b: '}{"\\' }, { c: { d: [] } }];
    const texts = objects.map((object) => JSON.stringify(object));
    for (const text of [texts.join(''), texts.join('\n'), texts.join(' , '), `[${texts.join()}]`, `\uFEFF${texts.join('\n')}\n`])
      assert.deepEqual(readJsonObjects(text, 'f'), objects, text);
    assert.deepEqual(readJsonObjects('  \n', 'f'), []);
  });

  it('are refused at the line and column where they break', () => {
    for (const [text, message] of [
      ['{"a":1}\n  5', /f, line 2, column 3: an object was expected, not "5"/],
      ['{"a":1}\n{"b":', /f, line 2, column 1: the object that begins here does not end/],
      ['{"a":1}\n{"b": tru}', /f, line 2, column 10: the JSON is broken/],
      ['{"a" 1}', /f, line 1, column 6: the JSON is broken/],
      ['[1, 2]', /f: is no list of objects/],
      ['[{"a":1},]', /f, line 1, column 10: the JSON is broken/],
    ] as const)
      assert.match(refusal(() => readJsonObjects(text, 'f')).message, message, text);
  });

  it('have members that are checked', () => {
    const members = new Members({ n: '5', bad: 'x', none: null, list: [1], text: 7 }, 'f', 'here');
    assert.deepEqual(
      [members.number('n', undefined), members.number('none', 3), members.text('text'), members.list('list')],
      [5, 3, '7', [1]],
    );
    assert.deepEqual([members.has('none'), members.has('n')], [false, true]);
    assert.match(refusal(() => members.number('bad', 1)).message, /f, here: bad "x" is no number from 0/);
    assert.match(refusal(() => members.number('n', 1, 6, 9)).message, /n "5" is no number from 6 to 9/);
    assert.deepEqual(
      refusal(() => members.number('absent', undefined)),
      { message: 'f, here: absent is missing', remedy: 'Give absent.' },
    );
    assert.match(refusal(() => members.list('text')).message, /text is no list/);
    assert.match(refusal(() => new Members([], 'f', 'here')).message, /f, here: is no object/);
  });
});

describe('an SLS trace', () => {
  const job = (more: object = {}) => ({
    'job.start.ms': 5,
    'job.user': 'ada',
    'job.queue.name': 'q',
    'job.id': 'j',
    'job.tasks': [{ 'container.start.ms': 0, 'container.end.ms': 1000 }],
    ...more,
  });
  const read = (...jobs: object[]) => readSlsTrace(jobs as never, context, []);

  it('gives tasks of one size, place and priority one request', () => {
    const [one] = read(
      job({
        'job.tasks': [
          { 'container.host': '/r1/n1', 'duration.ms': 10, count: 2 },
          { 'container.host': '/r1/n1', 'container.duration.ms': 20 },
          { 'container.host': 'n2', 'duration.ms': 10 },
          {
            'duration.ms': 10,
            'container.memory-mb': 2048,
            'container.vcores': 3,
            'container.priority': 7,
            'container.request.delay.ms': 9,
          },
        ],
      }),
    ).jobs;
    assert.deepEqual(
      one?.stages
        .flat()
        .map(({ hosts, racks, durationsMs, resource, priority, delayMs }) => [hosts, racks, durationsMs, resource, priority, delayMs]),
      [
        [['n1'], ['/r1'], [10, 10, 20], [1024, 1], 20, 0],
        [['n2'], ['/default-rack'], [10], [1024, 1], 20, 0],
        [[], [], [10], [2048, 3], 7, 9],
      ],
    );
  });

  it('runs reducers after mappers, and everything together for masters that ask at once', () => {
    const tasks = [
      { 'container.type': 'reduce', 'duration.ms': 1 },
      { 'container.type': 'map', 'duration.ms': 1 },
    ];
    const stages = (type: string) =>
      read(job({ 'am.type': type, 'job.tasks': tasks })).jobs[0]?.stages.map((stage) => stage.map(({ name }) => name).sort());
    assert.deepEqual(stages('mapreduce'), [['map'], ['reduce']]);
    assert.deepEqual(stages('dag'), [['map', 'reduce']]);
    assert.deepEqual(stages('stream'), [['map', 'reduce']]);
  });

  it('repeats jobs, and orders them by arrival', () => {
    const { jobs } = read(job({ 'job.start.ms': 9 }), job({ 'job.start.ms': 1, 'job.count': 3 }));
    assert.deepEqual(
      jobs.map(({ arrivalMs }) => arrivalMs),
      [1, 1, 1, 9],
    );
  });

  it('names the job and task that are wrong', () => {
    for (const [tasks, message] of [
      [undefined, /work, job 1: job\.tasks is missing/],
      [[], /work, job 1: job\.tasks is empty/],
      [[5], /work, job 1, task 1: is no object/],
      [[{ 'duration.ms': 1 }, { 'container.start.ms': 5, 'container.end.ms': 5 }], /task 2: container\.end\.ms gives a duration of 0 ms/],
      [[{}], /task 1: container\.end\.ms is missing/],
      [[{ 'duration.ms': 1, count: 20_000_000 }], /count 20000000 is no number from 0 to 10000000/],
    ] as const)
      assert.match(refusal(() => read(job({ 'job.tasks': tasks }))).message, message);
    assert.match(
      refusal(() => read(job({ 'job.count': 1_000_000, 'job.tasks': [{ 'duration.ms': 1, count: 100 }] }))).message,
      /brings the tasks above/,
    );
  });

  it('is told from other objects', () => {
    assert.deepEqual(
      [{ 'job.tasks': [] }, { 'am.type': 'x' }, { workloads: [] }, { num_jobs: 1 }].map((one) => [isSlsJob(one), isSynthTrace(one)]),
      [
        [true, false],
        [true, false],
        [false, true],
        [false, true],
      ],
    );
  });

  it('has nodes of a file of their own, with sizes and labels', () => {
    const { nodes, labels } = readSlsNodes(
      [
        { rack: 'r1', nodes: [{ node: 'a' }, { node: 'b', 'memory-mb': 100, vcores: 2, labels: 'gpu, other' }] },
        { nodes: [{ node: 'c', memory: 50, labels: 'ssd(exclusive=false)' }] },
      ],
      'nodes',
      [8192, 8],
    );
    assert.deepEqual(nodes, [
      { host: 'a', rack: '/r1', resource: [8192, 8], label: '' },
      { host: 'b', rack: '/r1', resource: [100, 2], label: 'gpu' },
      { host: 'c', rack: '/default-rack', resource: [50, 8], label: 'ssd' },
    ]);
    assert.deepEqual(
      [...labels],
      [
        ['gpu', { exclusive: true }],
        ['ssd', { exclusive: false }],
      ],
    );
    assert.match(
      refusal(() => readSlsNodes([{ rack: 'r', nodes: [{}] }], 'nodes', [1, 1])).message,
      /nodes, rack 1, node 1: node is missing/,
    );
  });
});

describe('a SYNTH trace', () => {
  const task = { type: 'map', priority: 5, count: { val: 3 }, time: { val: 2 }, max_memory: { val: 100 }, max_vcores: { val: 1 } };
  const jobClass = { class_name: 'c', user_name: 'u', class_weight: 1, type: 'mapreduce', tasks: [task, { ...task, type: 'reduce' }] };
  const trace = (more: object = {}, classMore: object = {}) => ({
    num_jobs: 4,
    num_nodes: 3,
    nodes_per_rack: 2,
    rand_seed: 7,
    workloads: [
      { workload_weight: 1, queue_name: 'q', job_classes: [{ ...jobClass, ...classMore }], time_distribution: [{ time: 10, weight: 1 }] },
    ],
    ...more,
  });
  const read = (object: object, seed?: number) => readSynthTrace(object as never, { ...context, seed });

  it('draws the same jobs for the same seed, others for another', () => {
    const spread = trace({}, { tasks: [{ ...task, count: { val: 50, std: 20 } }] });
    assert.deepEqual(read(spread, 3), read(spread, 3));
    assert.notDeepEqual(read(spread, 3).jobs, read(spread, 4).jobs);
    // Without one of the caller's the file's counts.
    assert.deepEqual(read(spread), read(spread, 7));
  });

  it('gives what is fixed exactly, in stages for MapReduce and at once otherwise', () => {
    const { jobs, nodes } = read(trace());
    assert.deepEqual(
      nodes.map(({ rack }) => rack),
      ['/rack1', '/rack1', '/rack2'],
    );
    assert.equal(jobs.length, 4);
    for (const { name, user, queue, arrivalMs, stages } of jobs) {
      assert.match(name, /^c-\d$/);
      assert.deepEqual([user, queue, arrivalMs], ['u', 'q', 10_000]);
      assert.deepEqual(
        stages.map((stage) => stage.map((group) => [group.name, group.durationsMs, group.resource])),
        [[['map', [2000, 2000, 2000], [100, 1]]], [['reduce', [2000, 2000, 2000], [100, 1]]]],
      );
    }
    assert.equal(read(trace({}, { type: 'dag' })).jobs[0]?.stages.length, 1);
  });

  it('spreads around the mean, never below what a task needs at least', () => {
    const drawn = trace({ num_jobs: 2000 }, { tasks: [{ ...task, count: { val: 20, std: 5 }, time: { val: 60, std: 30, dist: 'NORM' } }] });
    const durations = read(drawn).jobs.flatMap(({ stages }) => stages.flat().flatMap(({ durationsMs }) => durationsMs));
    const counts = durations.length / 2000;
    const mean = durations.reduce((sum, ms) => sum + ms, 0) / durations.length;
    assert.ok(Math.abs(counts - 20) < 1, `${counts} tasks a job`);
    assert.ok(Math.abs(mean - 60_000) < 3000, `${mean} ms`);
    assert.ok(durations.every((ms) => ms >= 1000));
  });

  it('draws by weights', () => {
    const memory = { discrete: [100, 200], weights: [1, 3] };
    const drawn = trace({ num_jobs: 3000 }, { tasks: [{ ...task, count: { val: 1 }, max_memory: memory }] });
    const large = read(drawn).jobs.filter(({ stages }) => stages[0]?.[0]?.resource[0] === 200).length;
    assert.ok(Math.abs(large / 3000 - 0.75) < 0.05, `${large} of 3000`);
  });

  it('reads the older form with averages', () => {
    const old = { class_name: 'o', class_weight: 1, mtasks_avg: 2, mtime_avg: 4, map_max_memory_avg: 256, rtasks_avg: 0 };
    const [one] = read({ ...trace(), workloads: [{ job_classes: [old], time_distribution: [{ time: 0, weight: 1 }] }] }).jobs;
    assert.deepEqual([one?.user, one?.queue, one?.stages.length], ['default', undefined, 1]);
  });

  it('names what is wrong and where', () => {
    const workload = trace().workloads[0];
    for (const [object, message] of [
      [{ ...trace(), workloads: [] }, /the trace: workloads is empty/],
      [{ ...trace(), workloads: undefined }, /workloads is missing/],
      [{ ...trace(), num_jobs: -1 }, /num_jobs -1 is no number/],
      [{ ...trace(), workloads: [{ ...workload, job_classes: [] }] }, /workload 1: job_classes is empty/],
      [
        { ...trace(), workloads: [{ ...workload, time_distribution: [{ time: 1, weight: 0 }] }] },
        /time_distribution has no weight above 0/,
      ],
      [trace({}, { tasks: [{ ...task, time: { val: 1, std: 1, dist: 'ZIPF' } }] }), /task 1, time: dist ZIPF is unknown/],
      [
        trace({}, { tasks: [{ ...task, time: { discrete: [1], weights: [1, 2] } }] }),
        /discrete and weights are not lists of as many numbers/,
      ],
      [trace({}, { tasks: [{ ...task, count: undefined }] }), /task 1, count: is no object/],
    ] as const)
      assert.match(refusal(() => read(object)).message, message);
  });
});

describe('a workload in YAML', () => {
  const read = (text: string, seed?: number) => readYamlWorkload(text, { ...context, seed });
  const nodes = 'nodes:\n  - count: 2\n';

  it('has nodes, labels and jobs with their defaults', () => {
    const workload = read(
      `${nodes}  - label: gpu\n    memory: 2GiB\n    vcores: 3\n    rack: /r9\njobs:\n  - tasks:\n      - duration: 30s\n`,
    );
    assert.deepEqual(
      workload.nodes.map(({ host, rack, resource, label }) => [host, rack, resource, label]),
      [
        ['node1', '/default-rack', [8192, 8], ''],
        ['node2', '/default-rack', [8192, 8], ''],
        ['node3', '/r9', [2048, 3], 'gpu'],
      ],
    );
    assert.deepEqual([...workload.labels], [['gpu', { exclusive: true }]]);
    assert.deepEqual(workload.jobs, [
      {
        name: 'job',
        user: 'default',
        queue: undefined,
        priority: -1,
        arrivalMs: 0,
        label: undefined,
        master: [1024, 1],
        stages: [
          [
            {
              name: 'task',
              durationsMs: [30_000],
              resource: [1024, 1],
              priority: 1,
              hosts: [],
              racks: [],
              relaxLocality: true,
              label: undefined,
              delayMs: 0,
            },
          ],
        ],
      },
    ]);
    assert.equal(workload.queueFile, undefined);
  });

  it('repeats jobs at intervals for users in turn, and leaves out stages that are not named', () => {
    const text = `${nodes}queues: q.xml\njobs:\n  - count: 3\n    every: 1m\n    arrival: 250ms\n    users: [a, b]\n    tasks:\n      - {duration: 1, stage: 5}\n      - {duration: 1h, stage: 2, count: 2}\n`;
    const { jobs, queueFile } = read(text);
    assert.deepEqual(
      jobs.map(({ name, user, arrivalMs }) => [name, user, arrivalMs]),
      [
        ['job-1', 'a', 250],
        ['job-2', 'b', 60_250],
        ['job-3', 'a', 120_250],
      ],
    );
    assert.deepEqual(
      jobs[0]?.stages.map((stage) => stage.map(({ durationsMs }) => durationsMs)),
      [[[3_600_000, 3_600_000]], [[1000]]],
    );
    assert.equal(queueFile, 'q.xml');
  });

  it('spreads durations within their bounds, the same way for the same seed', () => {
    const text = `${nodes}jobs:\n  - tasks:\n      - {duration: 100s, spread: 0.5, count: 500}\n`;
    const durations = read(text, 5).jobs[0]?.stages[0]?.[0]?.durationsMs ?? [];
    assert.ok(durations.every((ms) => ms >= 50_000 && ms <= 150_000));
    assert.ok(Math.max(...durations) - Math.min(...durations) > 80_000);
    assert.deepEqual(read(text, 5), read(text, 5));
    assert.notDeepEqual(read(text, 5), read(text, 6));
  });

  it('is refused at its line, with a remedy', () => {
    for (const [text, message] of [
      ['jobs: []\n', /work, line 1: nodes must be a list/],
      ['nodes: []\ncolour: red\n', /work, line 2: colour is unknown in the workload/],
      [`${nodes}jobs:\n  - tasks:\n      - {count: 1}\n`, /work, line 5: duration is missing/],
      [`${nodes}jobs:\n  - tasks:\n      - {duration: soon}\n`, /work, line 5: duration 'soon' is not understood/],
      [`${nodes}jobs:\n  - tasks:\n      - {duration: 1s, count: 1.5}\n`, /line 5: count must be whole/],
      [`${nodes}jobs:\n  - tasks:\n      - {duration: 1s, spread: 2}\n`, /spread must be a number from 0 to 1/],
      [`${nodes}jobs:\n  - tasks:\n      - {duration: 1s, relaxLocality: maybe}\n`, /relaxLocality must be true or false/],
      [`${nodes}jobs:\n  - 5\n`, /line 4: a job must be a map/],
      ['nodes:\n  - count: 0\njobs: []\n', /line 2: count must be a number from 1 to 100000/],
      ['nodes:\n  - memory: 2 light years\njobs: []\n', /memory '2 light years' is not understood/],
      ['nodes: [\n', /work, line \d+, column \d+: /],
    ] as const) {
      const { message: said, remedy } = refusal(() => read(text));
      assert.match(said, message, text);
      assert.ok(remedy.length > 5);
    }
  });
});

describe('which form a file has', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const at = (path: string): WorkloadContext => ({ ...context, file: path });
  const yaml = file('work.yaml', 'nodes:\n  - count: 2\njobs:\n  - tasks: [{duration: 1}]\n');

  it('is told by its beginning', () => {
    assert.equal(readWorkload(at(yaml), undefined).nodes.length, 2);
    const sls = file('sls.json', JSON.stringify({ 'job.tasks': [{ 'duration.ms': 1, 'container.host': '/r/n' }] }));
    assert.deepEqual(
      readWorkload(at(sls), undefined).nodes.map(({ host }) => host),
      ['n'],
    );
    assert.match(refusal(() => readWorkload(at(file('other.json', '{"x":1}')), undefined)).message, /object 1: is neither a job of SLS/);
  });

  it('may be given other nodes: a number or a file', () => {
    assert.equal(readWorkload(at(yaml), '90').nodes.length, 90);
    const nodes = file('nodes.json', JSON.stringify({ rack: 'r', nodes: [{ node: 'x', labels: 'l' }] }));
    const { nodes: read, labels } = readWorkload(at(yaml), nodes);
    assert.deepEqual([read.map(({ host }) => host), [...labels.keys()]], [['x'], ['l']]);
    assert.match(refusal(() => readWorkload(at(yaml), '0')).message, /--nodes: 0 is out of range/);
    const without = file('without.json', JSON.stringify({ 'job.tasks': [{ 'duration.ms': 1 }] }));
    assert.match(refusal(() => readWorkload(at(without), undefined)).message, /names no nodes/);
  });

  it('of queues is told by its root', () => {
    const fair = readQueueFile(file('fair.xml', '<?xml version="1.0"?><allocations><queue name="a"/></allocations>'));
    assert.deepEqual([fair.kind, fair.properties.size], ['fair', 0]);
    const capacity = readQueueFile(
      file('cs.xml', '<!-- was <allocations> --><configuration><property><name>k</name><value>v</value></property></configuration>'),
    );
    assert.deepEqual([capacity.kind, [...capacity.properties]], ['capacity', [['k', 'v']]]);
    assert.ok(refusal(() => readQueueFile(file('broken.xml', '<configuration><property>'))).remedy.length > 0);
  });

  it('cannot be told of what is not there', () => {
    assert.match(refusal(() => readInput(join(folder, 'absent'))).message, /there is no such file/);
    assert.match(refusal(() => readInput(folder)).message, /is a folder, and no file/);
  });
});

describe('nodes and jobs', () => {
  it('are laid out in racks, and ordered by arrival, equal ones as they stand', () => {
    assert.deepEqual(
      regularNodes(3, 2, [1, 1]).map(({ host, rack }) => `${rack}/${host}`),
      ['/rack1/node1', '/rack1/node2', '/rack2/node3'],
    );
    assert.deepEqual(
      regularNodes(2, 0, [1, 1]).map(({ rack }) => rack),
      ['/rack1', '/rack2'],
    );
    const jobs = [5, 1, 5, 1].map((arrivalMs, i) => ({ arrivalMs, name: String(i) }));
    assert.deepEqual(
      byArrival(jobs as never).map(({ name }) => name),
      ['1', '3', '0', '2'],
    );
  });
});
