// Whatever the workload and the policy: everything that arrives is accounted for, no more is given than there is, the same input gives the same report.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../config/load.ts';
import { simulate } from './simulate.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);
const folder = mkdtempSync(join(tmpdir(), 'heddle-invariants-'));

const capacity = join(folder, 'capacity.xml');
const fair = join(folder, 'fair.xml');
writeFileSync(
  capacity,
  `<configuration>${Object.entries({
    'root.queues': 'a,b',
    'root.a.capacity': '40',
    'root.a.maximum-capacity': '70',
    'root.b.capacity': '60',
    'root.b.user-limit-factor': '2',
    'maximum-am-resource-percent': '0.5',
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  })
    .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
    .join('')}</configuration>`,
);
writeFileSync(
  fair,
  '<allocations><queue name="a"><maxRunningApps>2</maxRunningApps></queue><queue name="b"><weight>2</weight><schedulingPolicy>drf</schedulingPolicy></queue></allocations>',
);

const tasks = fc.record({
  count: fc.integer({ min: 1, max: 30 }),
  duration: fc.integer({ min: 1, max: 300 }),
  memory: fc.integer({ min: 1, max: 5000 }),
  vcores: fc.integer({ min: 1, max: 4 }),
  priority: fc.integer({ min: 1, max: 5 }),
  stage: fc.integer({ min: 1, max: 3 }),
  spread: fc.constantFrom(0, 0.5),
});
const job = fc.record({
  count: fc.integer({ min: 1, max: 6 }),
  every: fc.integer({ min: 0, max: 60 }),
  arrival: fc.integer({ min: 0, max: 200 }),
  user: fc.constantFrom('ada', 'bob', 'eve'),
  queue: fc.constantFrom('root.a', 'root.b'),
  priority: fc.integer({ min: 0, max: 5 }),
  tasks: fc.array(tasks, { minLength: 1, maxLength: 3 }),
});
const workload = fc.record({
  nodes: fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 4 }),
      memory: fc.integer({ min: 2048, max: 16_384 }),
      vcores: fc.integer({ min: 2, max: 16 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  jobs: fc.array(job, { minLength: 1, maxLength: 6 }),
});

describe('every simulation', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [name, queueFiles, set] of [
    ['capacity', [capacity], { 'yarn.resourcemanager.scheduler.monitor.enable': 'true' }],
    ['fair', [fair], { 'yarn.scheduler.fair.preemption': 'true' }],
    ['fifo', [], { 'yarn.resourcemanager.scheduler.class': 'fifo' }],
  ] as const) {
    it(`accounts for everything under ${name} (seed ${seed})`, () => {
      const configuration = loadConfiguration({ dataDir: folder, set });
      const property = fc.property(workload, fc.integer({ min: 0, max: 1000 }), (given, draw) => {
        const path = join(folder, `${name}.yaml`);
        // JSON is YAML too; the leading comment keeps it from being taken for a trace.
        writeFileSync(path, `# workload\n${JSON.stringify(given)}`);
        const request = { workload: path, nodes: undefined, nodeSize: [1024, 1] as const, seed: draw, queueFiles, configuration };
        const [report] = simulate(request);
        assert.ok(report);
        const { jobs, stuck, utilisation, queues, users } = report;
        assert.equal(
          jobs.submitted,
          given.jobs.reduce((sum, { count }) => sum + count, 0),
        );
        assert.equal(jobs.finished + jobs.refused + jobs.unfinished, jobs.submitted);
        assert.equal(Math.min(jobs.unfinished, 20), stuck.length);
        assert.ok(utilisation.memory <= 1.0001, `memory ${utilisation.memory}`);
        // Fifo and the memory calculator let vcores be overbooked, as Hadoop does.
        if (name === 'capacity') assert.ok(utilisation.vcores <= 1.0001, `vcores ${utilisation.vcores}`);
        for (const parties of [queues, users]) {
          assert.equal(
            parties.reduce((sum, party) => sum + party.containers, 0),
            report.containers,
          );
          assert.equal(
            parties.reduce((sum, party) => sum + party.taskWaits.count + party.masterWaits.count, 0),
            report.containers,
          );
          assert.equal(
            parties.reduce((sum, party) => sum + party.jobTimes.count, 0),
            jobs.finished,
          );
        }
        const a = queues.find((queue) => queue.name === 'root.a');
        // Never above its maximum, but for one container of a user at a limit's edge.
        if (name === 'capacity' && a) for (const share of a.shares) assert.ok(share <= 0.7001, `share ${share}`);
        for (const { taskWaits } of queues)
          assert.ok(taskWaits.p50 >= 0 && taskWaits.p50 <= taskWaits.p95 && taskWaits.p95 <= taskWaits.max);
        assert.deepEqual(simulate(request), [report]);
      });
      fc.assert(property, { seed, numRuns: 15 });
    });
  }
});
