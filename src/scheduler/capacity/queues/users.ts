// The users of a leaf queue: what each holds, who is asking, and how much one user may take (Hadoop's UsersManager).

import { addInto, type Resource, subtractFrom, zeros } from '../../../model/resource.ts';
import {
  type Calculator,
  float,
  larger,
  multiplyRoundedDown,
  multiplyRoundedUp,
  multiplyTruncated,
  roundUp,
  smaller,
} from '../../state/calculator.ts';
import type { QueueSettings } from '../settings/queue-settings.ts';

/** A user of a leaf. Changed by its UserTable, its counts of applications and masters' amounts by limits/ too. */
export interface User {
  readonly used: number[][];
  isActive: boolean;
  weight: number;
  /** As last computed; what clients see. */
  shownLimit: Resource;
  readonly reserved: number[][];
  readonly name: string;
  readonly amUsed: number[][];
  readonly amLimit: (Resource | undefined)[];
  applications: number;
  activeApplications: number;
  waitingApplications: number;
  /** How many applications of the user ask for something. */
  asking: number;
}

/** An application as its user's counts see it. */
export interface AskingApplication {
  readonly owner: User;
  /** The user that counts it among those that ask; undefined while it asks for nothing. Changed by `UserTable.setAsking` alone. */
  asksFor: User | undefined;
}

/** The users of a leaf in one partition. */
export interface PartitionUsers {
  /** Grows with what is charged here, which moves no limit elsewhere. */
  charges: number;
  /** The limit before weights, as of that version; when borrowing from the partition. */
  limit: Resource;
  limitVersion: number;
  borrowing: Resource;
  borrowingVersion: number;
  readonly usedByActive: number[];
  queueRatio: number;
}

/** Used again by each computation of a limit. */
const perUser: number[] = [];
const guaranteedToOne: number[] = [];
const consumedRounded: number[] = [];
const byFactor: number[] = [];

/** What a user's limit is made of. */
export interface LimitInputs {
  readonly calculator: Calculator;
  readonly partition: number;
  readonly total: Resource;
  readonly guaranteed: Resource;
  readonly maximum: Resource;
  readonly minimumAllocation: Resource;
  readonly settings: QueueSettings;
  /** Borrowing from a partition that the queue was not promised: only its size limits. */
  readonly ignoreExclusivity: boolean;
}

export class UserTable {
  #version = 0;
  /** Called when something changed that limits in all partitions depend on. */
  onChange: (() => void) | undefined;
  readonly #partitions: PartitionUsers[] = [];
  /** The number of a user's waiting or active applications changed. */
  countsChanged = false;
  #activeWeights = 0;
  readonly #types: number;
  readonly byName = new Map<string, User>();
  #activeUsers = 0;
  #onlyWaiting = 0;
  #allWeights = 0;

  constructor(types: number) {
    this.#types = types;
  }

  /** Moves whenever something changes that limits in all partitions depend on. */
  get version(): number {
    return this.#version;
  }

  /** Something changed that limits in all partitions depend on. */
  changed(): void {
    this.#version++;
    this.onChange?.();
  }

  /** Users that ask, and those whose applications all wait, as last counted. */
  get activeUsers(): number {
    return this.#activeUsers + this.#onlyWaiting;
  }

  obtain(name: string, settings: QueueSettings): User {
    let user = this.byName.get(name);
    if (!user) {
      user = {
        used: [],
        isActive: false,
        weight: settings.userWeights.get(name) ?? 1,
        shownLimit: zeros(this.#types),
        reserved: [],
        name,
        amUsed: [],
        amLimit: [],
        applications: 0,
        activeApplications: 0,
        waitingApplications: 0,
        asking: 0,
      };
      this.byName.set(name, user);
      this.#allWeights += user.weight;
      this.changed();
    }
    return user;
  }

  remove(user: User): void {
    this.#deactivate(user);
    this.byName.delete(user.name);
    this.#allWeights -= user.weight;
    this.changed();
  }

  /** Who has nothing running, waiting or held is as new to Hadoop: what was known of the user is forgotten. */
  restart(user: User): void {
    const holds = user.used.some((amount) => amount?.some((value) => value > 0));
    if (user.activeApplications > 0 || user.waitingApplications > 0 || holds) return;
    user.shownLimit = zeros(this.#types);
    for (const kept of [user.used, user.amUsed, user.amLimit, user.reserved]) kept.length = 0;
  }

  reweigh(settings: QueueSettings): void {
    this.#allWeights = 0;
    this.#activeWeights = 0;
    for (const user of this.byName.values()) {
      user.weight = settings.userWeights.get(user.name) ?? 1;
      this.#allWeights += user.weight;
      if (user.isActive) this.#activeWeights += user.weight;
    }
    this.changed();
  }

  /**
   * The application asks (or no longer asks) for something. One that moved is counted off at the user it was counted at. Whoever has nothing that
   * began is not counted, and not when it begins later either, but when it asks anew (UsersManager.activateApplication).
   */
  setAsking(application: AskingApplication, requests: boolean): void {
    const user = application.owner;
    const before = application.asksFor;
    if (before === (requests ? user : undefined)) return;
    application.asksFor = undefined;
    if (before && --before.asking === 0) this.#deactivate(before);
    if (!requests || user.activeApplications <= 0) return;
    application.asksFor = user;
    user.asking++;
    if (!user.isActive) this.#activate(user);
  }

  charge(user: User, partition: number, amount: Resource, sign: 1 | -1, calculator: Calculator, total: Resource): void {
    const used = (user.used[partition] ??= zeros(this.#types));
    const before = partOf(used, calculator, total);
    if (sign > 0) addInto(used, amount);
    else subtractFrom(used, amount);
    const here = this.in(partition);
    if (user.isActive) {
      if (sign > 0) addInto(here.usedByActive, amount);
      else subtractFrom(here.usedByActive, amount);
    }
    here.queueRatio = float(here.queueRatio + float(partOf(used, calculator, total) - before));
    here.charges++;
  }

  chargeMaster(user: User, partition: number, amount: Resource, sign: 1 | -1): void {
    const used = (user.amUsed[partition] ??= zeros(this.#types));
    if (sign > 0) addInto(used, amount);
    else subtractFrom(used, amount);
  }

  /** After the partition's size changed. */
  recount(partition: number, calculator: Calculator, total: Resource): void {
    let sum = 0;
    for (const user of this.byName.values()) {
      const used = user.used[partition];
      if (used) sum = float(sum + partOf(used, calculator, total));
    }
    this.in(partition).queueRatio = sum;
    this.changed();
  }

  /** The limit of a user without a weight of its own, where nothing it depends on changed since it was computed. */
  cachedLimit(user: User, partition: number): Resource | undefined {
    const here = this.#partitions[partition];
    return user.weight === 1 && here && here.limitVersion === this.#version + here.charges ? here.limit : undefined;
  }

  /** What the user may hold in the partition; also what clients then see. */
  limitOf(user: User, inputs: LimitInputs): Resource {
    user.shownLimit = this.peekLimit(user, inputs);
    return user.shownLimit;
  }

  /** The same, without a trace. The limit before weights is kept until something changes. */
  peekLimit(user: User, inputs: LimitInputs): Resource {
    const limit = inputs.ignoreExclusivity ? this.#borrowing(inputs) : this.#limit(inputs);
    return user.weight === 1 ? limit : multiplyRoundedDown(inputs.calculator, limit, user.weight, inputs.minimumAllocation);
  }

  #limit(inputs: LimitInputs): Resource {
    const here = this.in(inputs.partition);
    if (here.limitVersion !== this.#version + here.charges) {
      here.limit = this.#compute(inputs);
      here.limitVersion = this.#version + here.charges;
    }
    return here.limit;
  }

  #borrowing(inputs: LimitInputs): Resource {
    const here = this.in(inputs.partition);
    if (here.borrowingVersion !== this.#version + here.charges) {
      here.borrowing = this.#compute(inputs);
      here.borrowingVersion = this.#version + here.charges;
    }
    return here.borrowing;
  }

  /** The partition is another one from now on; nobody holds anything in it. */
  forgetPartition(partition: number): void {
    delete this.#partitions[partition];
    for (const { used, amUsed, amLimit, reserved } of this.byName.values())
      for (const kept of [used, amUsed, amLimit, reserved]) delete kept[partition];
  }

  /** Limits there stay the same as long as `version` and its `charges` do. */
  in(partition: number): PartitionUsers {
    return (this.#partitions[partition] ??= {
      charges: 0,
      limit: [],
      limitVersion: -1,
      borrowing: [],
      borrowingVersion: -1,
      usedByActive: zeros(this.#types),
      queueRatio: 0,
    });
  }

  /** What the user may hold when all users count, also those that ask for nothing (preemption inside the queue looks so). */
  limitAmongAll(user: User, inputs: LimitInputs): Resource {
    const used = zeros(this.#types);
    for (const other of this.byName.values()) if (other.used[inputs.partition]) addInto(used, other.used[inputs.partition]!);
    const limit = this.#compute(inputs, { used, weights: this.#allWeights });
    return user.weight === 1 ? limit : multiplyRoundedDown(inputs.calculator, limit, user.weight, inputs.minimumAllocation);
  }

  #compute(inputs: LimitInputs, among?: { used: Resource; weights: number }): Resource {
    const { calculator, partition, total, minimumAllocation, settings, guaranteed } = inputs;
    const here = this.in(partition);
    if (perUser.length !== this.#types)
      for (const vector of [perUser, guaranteedToOne, consumedRounded, byFactor]) vector.length = this.#types;
    const capacity = larger(calculator, total, guaranteed, minimumAllocation);
    const consumed = multiplyRoundedUp(calculator, total, here.queueRatio, minimumAllocation, consumedRounded);
    let current: Resource = capacity;
    if (calculator.compare(total, consumed, capacity) >= 0) {
      addInto(consumed, minimumAllocation);
      current = consumed;
    }
    const byActive = among?.used ?? here.usedByActive;
    const weights = among?.weights ?? this.#activeWeights;
    for (let i = 0; i < current.length; i++) {
      perUser[i] = weights === 0 ? 0 : Math.ceil(float(((byActive[i] ?? 0) + (minimumAllocation[i] ?? 0)) / weights));
      guaranteedToOne[i] = Math.ceil(Math.trunc(current[i]! * settings.userLimitPercent) / 100);
    }
    const wanted = larger(calculator, total, calculator.made(perUser), calculator.made(guaranteedToOne));
    let most: Resource;
    if (inputs.ignoreExclusivity) most = total;
    else if (settings.userLimitFactor === -1 || guaranteed.every((value) => value === 0))
      most = multiplyRoundedDown(calculator, inputs.maximum, 1, minimumAllocation);
    else most = multiplyTruncated(capacity, settings.userLimitFactor, byFactor);
    return roundUp(calculator, smaller(calculator, total, wanted, most), minimumAllocation);
  }

  /** Before an application comes or goes: what follows from that counts with the next (as in Hadoop, which counts with the next heartbeat). */
  countWaiting(): void {
    if (!this.countsChanged || this.#activeUsers === 0) return;
    this.countsChanged = false;
    this.#onlyWaiting = 0;
    for (const user of this.byName.values()) if (user.waitingApplications > 0 && user.activeApplications <= 0) this.#onlyWaiting++;
  }

  #activate(user: User): void {
    user.isActive = true;
    this.#activeUsers++;
    this.#activeWeights += user.weight;
    for (const [partition, used] of user.used.entries()) if (used) addInto(this.in(partition).usedByActive, used);
    this.changed();
  }

  #deactivate(user: User): void {
    if (!user.isActive) return;
    user.isActive = false;
    this.#activeUsers--;
    this.#activeWeights -= user.weight;
    for (const [partition, used] of user.used.entries()) if (used) subtractFrom(this.in(partition).usedByActive, used);
    this.changed();
  }
}

/** Float32 dominant share of the partition. */
const partOf = (used: Resource, calculator: Calculator, total: Resource): number =>
  calculator.empty(total) ? 0 : calculator.divide(total, used, total);
