// What the scenarios about absolute capacities and vectors share.
import { RM, steady } from '../kit-scheduler.mjs';
import { mustReset, withEntries } from './conf-steps.mjs';

/** Texts of capacities, right and wrong. */
export const odderCapacities = [
  '20',
  '20.5',
  '20%',
  '-1',
  '101',
  '0',
  '',
  ' 20 ',
  'x',
  '1w',
  '0w',
  '-1w',
  'w',
  '1.5w',
  '1 w',
  '[memory=1024,vcores=1]',
  '[memory=1024 ,vcores= 1]',
  '[ memory = 1024 , vcores = 1 ]',
  '[memory=1024,vcores=1] ',
  '[vcores=1,memory=1024]',
  '[memory=1024]',
  '[vcores=1]',
  '[]',
  '[memory=,vcores=1]',
  '[memory=1024,vcores]',
  '[memory=1024;vcores=1]',
  '[memory=1024,memory=2048,vcores=1]',
  '[memory=1g,vcores=1]',
  '[memory=1024Mi,vcores=1]',
  '[memory=2Gi,vcores=1]',
  '[memory=1024mb,vcores=1]',
  '[memory-mb=1024,vcores=1]',
  '[MEMORY=1024,VCORES=1]',
  '[memory=1024.5,vcores=1]',
  '[memory=-1024,vcores=1]',
  '[memory=0,vcores=0]',
  '[memory=99999999,vcores=1]',
  '[memory=9999999999999999999,vcores=1]',
  '[memory=25%,vcores=50%]',
  '[memory=25.5%,vcores=50%]',
  '[memory=25%,vcores=1]',
  '[memory=125%,vcores=1]',
  '[memory=-25%,vcores=1]',
  '[memory=1w,vcores=1w]',
  '[memory=1w,vcores=1]',
  '[memory=1w,vcores=10%]',
  '[memory=0w,vcores=0w]',
  '[memory=1024,vcores=1,yarn.io/gpu=1]',
  '[memory=1024,vcores=1,gpu=1]',
  '[memory=1024,vcores=1',
  'memory=1024,vcores=1',
  '(memory=1024,vcores=1)',
  '[[memory=1024,vcores=1]]',
];

/** Recorders of one cluster: a change of queues and what became of the tree. */
export function capacitySteps(c) {
  const tree = (id) =>
    c.record(id, 'rm', 'GET', `${RM}/scheduler`, {
      pick: ({ scheduler: { schedulerInfo } }) => {
        const all = [];
        const walk = (q) => {
          const [p] = q.capacities.queueCapacitiesByPartition;
          const amount = (r) => r && [r.memory, r.vCores];
          all.push([
            q.queuePath,
            q.mode,
            [q.capacity, q.absoluteCapacity, q.maxCapacity, q.absoluteMaxCapacity, q.weight, q.normalizedWeight],
            p.queueCapacityVectorInfo.configuredCapacityVector,
            [p.configuredMinResource, p.configuredMaxResource, p.effectiveMinResource, p.effectiveMaxResource].map(amount),
            [p.capacity, p.maxCapacity, p.absoluteCapacity, p.absoluteMaxCapacity, p.maxAMLimitPercentage],
            [q.maxApplications, q.maxApplicationsPerUser, q.queueType, q.isAbsoluteResource].map((value) => value ?? null),
          ]);
          (q.queues?.queue ?? []).forEach(walk);
        };
        walk(schedulerInfo);
        return all;
      },
    });
  /** Changes queues, by their keys and values, and all of them; the tree is looked at where that passed, and what was there before is brought back. */
  const changed = async (id, queues, all = []) => {
    const body = {
      'update-queue': queues.map(([name, pairs]) => ({ 'queue-name': name, params: withEntries(pairs) })),
      ...(all.length > 0 ? { 'global-updates': withEntries(all) } : {}),
    };
    const { status } = await c.record(id, 'rm', 'PUT', `${RM}/scheduler-conf`, { user: 'root', body });
    if (status !== 200) return;
    await steady(c);
    await tree(`${id}.tree`);
    await mustReset(c);
  };
  return { tree, changed };
}
