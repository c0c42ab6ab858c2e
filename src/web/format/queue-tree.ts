// The queues of any scheduler as one tree of the same shape: what each was promised, has, may have and waits for, by partition. Pure.
import { count } from './amounts.ts';

/** ResourceInfo as JSON has it; the mapped form writes numbers as texts. */
export interface ReadResource {
  readonly memory?: number | string;
  readonly vCores?: number | string;
  readonly resourceInformations?: { readonly resourceInformation?: readonly { readonly name: string; readonly value: number | string }[] };
}

/** Amounts by the names of their types: `memory-mb` in MiB, `vcores`, `yarn.io/gpu` …. */
export type Amounts = Readonly<Record<string, number>>;

/** What a queue has of one partition. */
export interface QueueShare {
  /** '' is the partition of nodes without a label. */
  readonly partition: string;
  readonly used: Amounts;
  readonly pending: Amounts;
  readonly reserved: Amounts;
  /** What it gets even if everybody else wants it; fair: its fair share now. */
  readonly guaranteed: Amounts;
  readonly maximum: Amounts;
  /** What its masters hold, and may hold; where masters are counted. */
  readonly mastersUsed?: Amounts;
  readonly mastersLimit?: Amounts;
  /** As configured, in words: `40 %`, `weight 3`, `8 GiB`. */
  readonly configured: string;
}

/** A user's work in a queue. */
export interface QueueUser {
  readonly name: string;
  readonly used: Amounts;
  readonly limit: Amounts;
  readonly active: number;
  readonly pending: number;
  readonly weight: number;
}

/** A queue with those below it. */
export interface Queue {
  /** `root.people`. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly isLeaf: boolean;
  /** Undefined where the scheduler knows no states of queues. */
  readonly state: string | undefined;
  readonly shares: readonly QueueShare[];
  readonly children: readonly Queue[];
  /** Applications that hold something, and that wait to begin; sums below a parent. */
  readonly active: number;
  readonly pending: number;
  readonly containers: number;
  readonly pendingContainers: number;
  readonly users: readonly QueueUser[];
  /** Names with values in words that only this kind of queue has. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Every queue with what the scheduler is. */
export interface QueueTree {
  /** The scheduler in words. */
  readonly scheduler: string;
  /** Whether this kind of scheduler takes changes while it runs. */
  readonly isEditable: boolean;
  /** What a queue is promised is called so. */
  readonly promise: 'Guaranteed' | 'Fair share';
  readonly root: Queue;
  /** '' first. */
  readonly partitions: readonly string[];
  /** Names of resource types. */
  readonly types: readonly string[];
}

/** Amounts of a resource as it is on the wire. */
export function amountsOf(resource: ReadResource | undefined): Amounts {
  const named = resource?.resourceInformations?.resourceInformation;
  if (named) return Object.fromEntries(named.map(({ name, value }) => [name, Number(value)]));
  return { 'memory-mb': Number(resource?.memory ?? 0), vcores: Number(resource?.vCores ?? 0) };
}

/** The sum by type. */
export function sumOf(list: readonly Amounts[]): Amounts {
  const sum: Record<string, number> = {};
  for (const each of list) for (const [name, value] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The path in words where Hadoop puts the parent's path into it twice: the child of a reservable queue for what has no reservation. */
export const queueText = (path: string): string => path.replace(/^(.+)\.\1-default$/, '$1 (without a reservation)');

/** What a queue has of a partition; nothing where it has none of it. */
export const shareIn = (queue: Queue, partition: string): QueueShare | undefined =>
  queue.shares.find((share) => share.partition === partition);

/** The queue and all below it, in the order of the tree. */
export const queuesOf = (queue: Queue): readonly Queue[] => [queue, ...queue.children.flatMap(queuesOf)];

/** The queue of a path. */
export const findQueue = (tree: QueueTree, path: string): Queue | undefined => queuesOf(tree.root).find((queue) => queue.path === path);

/** The way from the root to a queue, both included. */
export function wayTo(tree: QueueTree, path: string): readonly Queue[] {
  return queuesOf(tree.root).filter((queue) => path === queue.path || path.startsWith(`${queue.path}.`));
}

// ---- as the servers tell it

interface ReadCapacities {
  readonly partitionName: string;
  readonly capacity: number;
  readonly maxCapacity: number;
  readonly weight: number;
  readonly configuredMinResource?: ReadResource;
  readonly effectiveMinResource?: ReadResource;
  readonly effectiveMaxResource?: ReadResource;
}
interface ReadUsage {
  readonly partitionName: string;
  readonly used?: ReadResource;
  readonly reserved?: ReadResource;
  readonly pending?: ReadResource;
  readonly amUsed?: ReadResource;
  readonly amLimit?: ReadResource;
}
interface ReadUser {
  readonly username: string;
  readonly resourcesUsed?: ReadResource;
  readonly userResourceLimit?: ReadResource;
  readonly numActiveApplications: number;
  readonly numPendingApplications: number;
  readonly userWeight: number;
}

/** A queue of the capacity scheduler, as far as it is read here. */
export interface ReadCapacityQueue {
  readonly queuePath: string;
  readonly queueName: string;
  readonly state?: string;
  readonly mode?: string;
  readonly queues?: { readonly queue?: readonly ReadCapacityQueue[] };
  readonly capacities: { readonly queueCapacitiesByPartition?: readonly ReadCapacities[] };
  readonly resources?: { readonly resourceUsagesByPartition?: readonly ReadUsage[] };
  readonly numActiveApplications?: number;
  readonly numPendingApplications?: number;
  readonly allocatedContainers?: number;
  readonly pendingContainers?: number;
  readonly users?: { readonly user?: readonly ReadUser[] };
  readonly userLimit?: number;
  readonly userLimitFactor?: number;
  readonly maxApplications?: number;
  readonly maxApplicationsPerUser?: number;
  readonly maxParallelApps?: number;
  readonly orderingPolicyInfo?: string;
  readonly queuePriority?: number;
  readonly defaultPriority?: number;
  readonly preemptionDisabled?: boolean;
  readonly maxApplicationLifetime?: number;
  readonly defaultApplicationLifetime?: number;
  readonly defaultNodeLabelExpression?: string;
  readonly creationMethod?: string;
  readonly autoCreationEligibility?: string;
  readonly queueAcls?: { readonly queueAcl?: readonly { readonly accessType: string; readonly accessControlList: string }[] };
}

/** A queue of the fair scheduler, as far as it is read here. */
export interface ReadFairQueue {
  readonly queueName: string;
  readonly maxApps?: number;
  readonly minResources?: ReadResource;
  readonly maxResources?: ReadResource;
  readonly usedResources?: ReadResource;
  readonly amUsedResources?: ReadResource;
  readonly amMaxResources?: ReadResource;
  readonly demandResources?: ReadResource;
  readonly steadyFairResources?: ReadResource;
  readonly fairResources?: ReadResource;
  readonly clusterResources?: ReadResource;
  readonly reservedResources?: ReadResource;
  readonly allocatedContainers?: number;
  readonly pendingContainers?: number;
  readonly numActiveApps?: number;
  readonly numPendingApps?: number;
  readonly schedulingPolicy?: string;
  readonly preemptable?: boolean;
  readonly childQueues?: { readonly queue?: readonly ReadFairQueue[] };
}

/** `schedulerInfo` of `/ws/v1/cluster/scheduler`. */
export type ReadScheduler =
  | (ReadCapacityQueue & { readonly type?: string })
  | { readonly rootQueue: ReadFairQueue }
  | {
      readonly qstate: string;
      readonly numContainers: number;
      readonly totalNodeCapacity: number;
      readonly availNodeCapacity: number;
      readonly usedNodeCapacity: number;
      readonly maxQueueMemoryCapacity: number;
    };

const mostWhole = 2_147_483_647;
const limited = (value: number | undefined): string => (value === undefined || value < 0 || value >= mostWhole ? 'no limit' : count(value));
const below = (list: readonly Amounts[], other: Amounts): Amounts => {
  const [most] = list;
  return Object.fromEntries(Object.entries(most ?? {}).map(([name, value]) => [name, Math.min(value, other[name] ?? value)]));
};
const rest = (all: Amounts, part: Amounts): Amounts =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Math.max(0, value - (part[name] ?? 0))]));
const typesOf = (root: Queue): readonly string[] => [
  ...new Set(root.shares.flatMap(({ guaranteed, maximum }) => [...Object.keys(guaranteed), ...Object.keys(maximum)])),
];

/** The tree of what `/ws/v1/cluster/scheduler` answers. */
export function queueTree(info: ReadScheduler): QueueTree {
  if ('rootQueue' in info) {
    const root = fairQueue(info.rootQueue, '', 0);
    return { scheduler: 'fair scheduler', isEditable: false, promise: 'Fair share', root, partitions: [''], types: typesOf(root) };
  }
  if ('qstate' in info) {
    const [all, used] = [{ 'memory-mb': info.totalNodeCapacity }, { 'memory-mb': info.usedNodeCapacity }];
    const none = { 'memory-mb': 0 };
    const share = { partition: '', used, pending: none, reserved: none, guaranteed: all, maximum: all, configured: '100 %' };
    const root: Queue = {
      ...{ path: 'default', name: 'default', depth: 0, isLeaf: true, state: info.qstate, shares: [share], children: [] },
      ...{ active: 0, pending: 0, containers: info.numContainers, pendingContainers: 0, users: [] },
      facts: [['Order', 'first in, first out']],
    };
    return { scheduler: 'FIFO scheduler', isEditable: false, promise: 'Guaranteed', root, partitions: [''], types: ['memory-mb'] };
  }
  const root = capacityQueue({ ...info, queuePath: 'root' }, 0);
  const partitions = [...new Set(queuesOf(root).flatMap(({ shares }) => shares.map(({ partition }) => partition)))];
  return {
    scheduler: 'capacity scheduler',
    isEditable: true,
    promise: 'Guaranteed',
    root,
    partitions: partitions.toSorted(),
    types: typesOf(root),
  };
}

function configuredText(mode: string | undefined, own: ReadCapacities): string {
  if (mode === 'absolute') return 'a fixed amount';
  if (mode === 'weight' && own.weight >= 0) return `weight ${own.weight}`;
  return `${Number(own.capacity.toFixed(2))} % of its parent, up to ${Number(own.maxCapacity.toFixed(2))} %`;
}

function capacityQueue(info: ReadCapacityQueue, depth: number): Queue {
  const children = (info.queues?.queue ?? [])
    .map((child) => capacityQueue(child, depth + 1))
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en'));
  const usages = new Map((info.resources?.resourceUsagesByPartition ?? []).map((usage) => [usage.partitionName, usage]));
  const shares = (info.capacities.queueCapacitiesByPartition ?? []).map((own): QueueShare => {
    const usage = usages.get(own.partitionName);
    const ofChildren = (pick: (share: QueueShare) => Amounts) =>
      sumOf(children.flatMap(({ shares: each }) => each.filter(({ partition }) => partition === own.partitionName).map(pick)));
    return {
      partition: own.partitionName,
      // The root says nothing of its use.
      used: usage ? amountsOf(usage.used) : ofChildren(({ used }) => used),
      pending: usage ? amountsOf(usage.pending) : ofChildren(({ pending }) => pending),
      reserved: usage ? amountsOf(usage.reserved) : ofChildren(({ reserved }) => reserved),
      guaranteed: amountsOf(own.effectiveMinResource),
      maximum: amountsOf(own.effectiveMaxResource),
      ...(usage?.amUsed && { mastersUsed: amountsOf(usage.amUsed) }),
      ...(usage?.amLimit && { mastersLimit: amountsOf(usage.amLimit) }),
      configured: depth === 0 ? 'the whole cluster' : configuredText(info.mode, own),
    };
  });
  const sum = (pick: (queue: Queue) => number) => children.reduce((total, child) => total + pick(child), 0);
  const isLeaf = info.users !== undefined || children.length === 0;
  return {
    path: info.queuePath,
    name: info.queuePath.split('.').at(-1) ?? info.queueName,
    depth,
    isLeaf,
    state: info.state ?? 'RUNNING',
    shares,
    children,
    active: isLeaf ? (info.numActiveApplications ?? 0) : sum(({ active }) => active),
    pending: isLeaf ? (info.numPendingApplications ?? 0) : sum(({ pending }) => pending),
    containers: info.allocatedContainers ?? sum(({ containers }) => containers),
    pendingContainers: info.pendingContainers ?? sum(({ pendingContainers }) => pendingContainers),
    users: (info.users?.user ?? []).map((user) => ({
      name: user.username,
      used: amountsOf(user.resourcesUsed),
      limit: amountsOf(user.userResourceLimit),
      active: user.numActiveApplications,
      pending: user.numPendingApplications,
      weight: user.userWeight,
    })),
    facts: capacityFacts(info, isLeaf, depth),
  };
}

function capacityFacts(info: ReadCapacityQueue, isLeaf: boolean, depth: number): Queue['facts'] {
  const seconds = (value: number | undefined) => (value === undefined || value <= 0 ? 'no limit' : `${value} s`);
  const list = (type: string) => {
    const text = info.queueAcls?.queueAcl?.find(({ accessType }) => accessType === type)?.accessControlList;
    return text === undefined
      ? 'not told'
      : text === '*'
        ? 'everybody'
        : text.trim() !== ''
          ? text.trim()
          : depth === 0
            ? 'nobody'
            : 'who may in the queue above';
  };
  const common: [string, string][] = [
    ['Order of applications', info.orderingPolicyInfo ?? 'not told'],
    ['Priority among queues', String(info.queuePriority ?? 0)],
    ['Applications at once', limited(info.maxParallelApps)],
    ['May submit', list('SUBMIT_APP')],
    ['May administer', list('ADMINISTER_QUEUE')],
    ...((info.defaultNodeLabelExpression ?? '') === ''
      ? []
      : [['Label unless asked', info.defaultNodeLabelExpression!] as [string, string]]),
    ...(info.creationMethod === undefined || info.creationMethod === 'static' ? [] : [['Made', info.creationMethod] as [string, string]]),
    ...(info.autoCreationEligibility === undefined || info.autoCreationEligibility === 'off'
      ? []
      : [['Makes queues below it', info.autoCreationEligibility] as [string, string]]),
  ];
  if (!isLeaf) return common;
  return [
    ...common,
    ['Applications it takes', `${limited(info.maxApplications)}, of one user ${limited(info.maxApplicationsPerUser)}`],
    ['Each user is sure of', `${info.userLimit ?? 100} % of it`],
    ['One user may use', userFactor(info.userLimitFactor)],
    ['Preemption', info.preemptionDisabled === true ? 'nothing is taken from it' : 'others may take back what is theirs'],
    ['Lifetime unless asked', seconds(info.defaultApplicationLifetime)],
    ['Longest lifetime', seconds(info.maxApplicationLifetime)],
  ];
}

const userFactor = (factor: number | undefined): string =>
  factor === undefined || factor < 0 ? 'all that the queue may have' : `${Number((factor * 100).toFixed(1))} % of its guarantee`;

function fairQueue(info: ReadFairQueue, above: string, depth: number): Queue {
  const path = info.queueName.startsWith(above) ? info.queueName : `${above}.${info.queueName}`;
  const children = (info.childQueues?.queue ?? [])
    .map((child) => fairQueue(child, path, depth + 1))
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en'));
  const sum = (pick: (queue: Queue) => number) => children.reduce((total, child) => total + pick(child), 0);
  const [used, cluster] = [amountsOf(info.usedResources), amountsOf(info.clusterResources)];
  const isLeaf = info.numActiveApps !== undefined;
  const mastersLimit = amountsOf(info.amMaxResources);
  return {
    path,
    name: path.split('.').at(-1) ?? path,
    depth,
    isLeaf,
    state: undefined,
    shares: [
      {
        partition: '',
        used,
        // A demand is what is held and what is asked for besides.
        pending: rest(amountsOf(info.demandResources), used),
        reserved: amountsOf(info.reservedResources),
        guaranteed: depth === 0 ? cluster : below([amountsOf(info.steadyFairResources)], cluster),
        maximum: below([amountsOf(info.maxResources)], cluster),
        ...(isLeaf && mastersLimit['memory-mb'] !== 0 && { mastersUsed: amountsOf(info.amUsedResources), mastersLimit }),
        configured: 'its fair share',
      },
    ],
    children,
    active: isLeaf ? (info.numActiveApps ?? 0) : sum(({ active }) => active),
    pending: isLeaf ? (info.numPendingApps ?? 0) : sum(({ pending }) => pending),
    containers: info.allocatedContainers ?? 0,
    pendingContainers: info.pendingContainers ?? 0,
    users: [],
    facts: [
      ['Shares among applications', info.schedulingPolicy ?? 'not told'],
      ['Applications at once', limited(info.maxApps)],
      ['Preemption', info.preemptable === false ? 'nothing is taken from it' : 'others may take back what is theirs'],
    ],
  };
}
