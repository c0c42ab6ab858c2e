// Random walks through a cluster, the same in every run: applications come, go, move and wait, queues, nodes and labels change, and after each
// step everything that shows what the scheduler decided is looked at once it is quiet.
import { masks } from '../kit-apps.mjs';
import { appFacts, fairFacts, get, RM } from '../kit-scheduler.mjs';
import { choices } from './choices.mjs';
import { withEntries } from './conf-steps.mjs';

const capacityFacts = ({ scheduler: { schedulerInfo } }) => {
  const all = {};
  const amount = (r) => r && [r.memory, r.vCores];
  const walk = (q) => {
    all[q.queuePath] = {
      ...Object.fromEntries(
        [
          ['state', 'capacity', 'usedCapacity', 'maxCapacity', 'absoluteCapacity', 'absoluteMaxCapacity', 'absoluteUsedCapacity', 'weight'],
          ['normalizedWeight', 'numApplications', 'numActiveApplications', 'numPendingApplications', 'numContainers', 'maxApplications'],
          ['maxApplicationsPerUser', 'allocatedContainers', 'reservedContainers', 'pendingContainers', 'creationMethod', 'mode'],
        ]
          .flat()
          .map((name) => [name, q[name] ?? null]),
      ),
      used: amount(q.resourcesUsed),
      amLimit: amount(q.AMResourceLimit),
      amUsed: amount(q.usedAMResource),
      userAmLimit: amount(q.userAMResourceLimit),
      effective: [amount(q.minEffectiveCapacity), amount(q.maxEffectiveCapacity)],
      users: (q.users?.user ?? [])
        .map((u) => [
          u.username,
          amount(u.resourcesUsed),
          u.numActiveApplications,
          u.numPendingApplications,
          amount(u.userResourceLimit),
          amount(u.AMResourceUsed),
          u.userWeight,
        ])
        .sort(),
      partitions: (q.resources?.resourceUsagesByPartition ?? [])
        .map((p) => [p.partitionName, ...[p.used, p.reserved, p.pending, p.amUsed, p.amLimit, p.userAmLimit].map((r) => amount(r) ?? null)])
        .sort(),
      capacities: (q.capacities?.queueCapacitiesByPartition ?? [])
        .map((p) => [
          p.partitionName,
          [p.capacity, p.usedCapacity, p.maxCapacity, p.absoluteCapacity, p.absoluteUsedCapacity, p.absoluteMaxCapacity],
          [p.maxAMLimitPercentage, p.weight, p.normalizedWeight],
        ])
        .sort(),
    };
    (q.queues?.queue ?? []).forEach(walk);
  };
  walk(schedulerInfo);
  return all;
};

/**
 * What is no moment: how much masters may have follows shares as the scheduler visits, and queues that nobody declared go within ten seconds after
 * their last application.
 */
const settledFair = (json) =>
  Object.fromEntries(
    Object.entries(fairFacts(json))
      .filter(([name, { active, pending }]) => !name.startsWith('root.users.') || active + pending > 0)
      .map(([name, queue]) => [name, { ...queue, amMax: undefined }]),
  );

/** What an application waits for that was moved: Hadoop tells the numbers of the queue that it came from. */
const ofOldQueue =
  /((?:Queue Resource Limit for AM|User AM Resource Limit of the queue|Queue AM Resource Usage|Queue's [\w ]+(?: \(absolute resource\))?) = )[^;]*;/g;

/** Times and loads, which differ from one look to the next. */
const moving =
  /"(\w*[tT]ime\w*|\w+Seconds|lastHealthUpdate|lastrun|value|\w*Utilization|\w*Physical\w*|\w*Virtual\w*|\w*CPU\w*|\w*Queue(?:Size|Busy)|schedulerBusy|containerAssignedPerSecond)":("[^"]*"|[^,}\]]+)/g;

/** Waits until applications, queues and nodes have not changed for `looks` half seconds. */
async function quiet(c, looks) {
  let before;
  let same = 0;
  await c.until('a quiet cluster', async () => {
    await c.sleep(500);
    const all = [await get(c, '/apps'), await get(c, '/scheduler'), await get(c, '/nodes')];
    const now = JSON.stringify(all)
      .replaceAll(moving, '')
      .replaceAll(/\[[^\]]*\d{4}\]/g, '');
    same = now === before ? same + 1 : 0;
    before = now;
    return same >= looks;
  });
}

/**
 * Walks. `queues`, `users`, `memories` and `vcores` are what submissions choose from, `more(random)` gives further members of them;
 * `targets` are the queues that applications move to (whole paths: Hadoop takes an application out of its queue that is moved there by a short name);
 * `moves` are further moves of the cluster, each `[weight, (id, random) => …]`; `options` are changes of queues, `[queue, key, values]`.
 */
export async function walk(
  c,
  {
    seed,
    steps,
    queues,
    targets = queues.filter((q) => q !== undefined),
    users,
    memories,
    vcores,
    more = () => ({}),
    moves = [],
    options = [],
    kind = 'capacity',
    looks = 3,
  },
) {
  masks(c);
  const random = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? seed));
  const all = [];
  const moved = new Set();
  const facts = { capacity: capacityFacts, fair: settledFair, fifo: (j) => j }[kind];
  const look = async (id) => {
    await quiet(c, looks);
    await c.record(`${id}.queues`, 'rm', 'GET', `${RM}/scheduler`, { user: 'root', pick: facts });
    await c.record(`${id}.apps`, 'rm', 'GET', `${RM}/apps`, {
      user: 'root',
      pick: ({ apps }) =>
        (apps?.app ?? [])
          .map((app) => ({
            name: app.name,
            ...appFacts({ app }),
            ...(moved.has(app.id) ? { diagnostics: appFacts({ app }).diagnostics.replace(ofOldQueue, '$1?;') } : {}),
            label: [app.amNodeLabelExpression, app.appNodeLabelExpression],
            shares: app.resourceInfo?.resourceUsagesByPartition
              ?.map((p) => [p.partitionName, p.used?.memory, p.reserved?.memory, p.pending?.memory, p.amUsed?.memory])
              .sort(),
            requests: (app.resourceRequests ?? []).map((r) => [
              r.resourceName,
              r.numContainers,
              r.priority?.priority ?? r.priority,
              r.nodeLabelExpression,
            ]),
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
    });
    await c.record(`${id}.metrics`, 'rm', 'GET', `${RM}/metrics`, { user: 'root' });
    await c.record(`${id}.nodes`, 'rm', 'GET', `${RM}/nodes`, { user: 'root' });
  };
  const put = (id, of, path, body) => c.record(id, 'rm', 'PUT', `${RM}/apps/${of}${path}`, { user: 'root', body });
  const recent = () => random.pick(all.slice(-10));
  const move = (id) => {
    const of = recent();
    moved.add(of);
    return put(id, of, '/queue', { queue: random.pick(targets) });
  };
  const submit = async (id) => {
    const user = random.pick(users);
    const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user });
    const of = c.name(`app${all.length}`, json['application-id']);
    c.name(`app${all.length}.n`, of.slice(12));
    const queue = random.pick(queues);
    await c.record(id, 'rm', 'POST', `${RM}/apps`, {
      user,
      body: {
        'application-id': of,
        'application-name': `app${String(all.length).padStart(3, '0')}`,
        ...(queue === undefined ? {} : { queue }),
        resource: { memory: random.pick(memories), vCores: random.pick(vcores) },
        priority: random.int(4),
        'max-app-attempts': 1,
        'am-container-spec': { commands: { command: 'sleep 900' } },
        ...more(random),
      },
    });
    all.push(of);
  };
  const kill = (id) =>
    c.record(id, 'rm', 'PUT', `${RM}/apps/${recent()}/state`, {
      user: 'root',
      body: { state: 'KILLED' },
      mask: [[/("state":")[A-Z_]+/, '$1{moment}']],
    });
  const table = [
    [10, submit],
    [4, (id) => (all.length ? kill(id) : submit(id))],
    [2, (id) => (all.length ? move(id) : submit(id))],
    [1, (id) => (all.length ? put(id, recent(), '/priority', { priority: random.int(10) }) : submit(id))],
    ...(options.length
      ? [
          [
            2,
            (id) => {
              const [queue, key, values] = random.pick(options);
              const value = random.pick(values);
              const body =
                queue === ''
                  ? { 'global-updates': withEntries([[key, value]]) }
                  : { 'update-queue': { 'queue-name': queue, params: withEntries([[key, value]]) } };
              return c.record(id, 'rm', 'PUT', `${RM}/scheduler-conf`, { user: 'root', body });
            },
          ],
        ]
      : []),
    ...moves,
  ];
  const total = table.reduce((sum, [weight]) => sum + weight, 0);
  await look('start');
  for (let n = 0; n < steps; n++) {
    let left = random.next() * total;
    const [, step] = table.find(([weight]) => (left -= weight) < 0) ?? table[0];
    await step(`step${n}`, random);
    await look(`step${n}`);
  }
  return all;
}
