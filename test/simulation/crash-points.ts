// Where processes die: before or after single effects, chosen by the seed. Each effect of each role passes here.
import type { Random } from '../../src/lib/random.ts';

export type Role = 'manager' | 'node' | 'master';
export type Moment = 'before' | 'after';

/** A death to come: at the `nth` time that the role comes to that point; `effect` undefined: to any. */
interface Death {
  readonly role: Role;
  readonly effect: string | undefined;
  readonly moment: Moment | undefined;
  nth: number;
}

/**
 * Effects that are rare enough to be missed by counting all: half of the deaths are aimed at one of them. `persist`, `send`, `publish` and
 * `record` come with what they are about.
 */
const aims: Record<Role, readonly string[]> = {
  manager: [
    'persist live',
    'persist live',
    'persist container',
    'persist container',
    'persist containersHeard',
    'persist endsTold',
    'persist containerChanged',
    'send updateContainers',
    'persist end',
    'persist ended',
    'persist notes',
    'persist leavingNode',
    'persist stayingNode',
    'persist nodeSize',
    'commit',
    'commit',
    'sync',
    'sync',
    'send startContainers',
    'send startContainers',
    'send stopContainers',
    'send registered',
    'send finishApplications',
    'publish containerCreated',
    'publish containerFinished',
    'publish attemptRegistered',
    'publish attemptFinished',
    'publish applicationStateChanged',
    'publish applicationFinished',
    'wake',
    'record',
    'start',
    'answer register',
    'answer allocate',
    'answer finish',
    'answer finish',
  ],
  node: ['take startContainers', 'take stopContainers', 'take registered', 'record start', 'record stop', 'record end', 'launch', 'report'],
  master: ['call register', 'call allocate', 'call finish', 'answer register', 'answer allocate', 'answer finish'],
};

const roles: readonly Role[] = ['manager', 'manager', 'manager', 'node', 'master'];

/** The deaths of one history. */
export class CrashPoints {
  readonly #deaths: Death[] = [];
  #isOver = false;
  /** How many died at which point: `manager before persist live`. */
  readonly died = new Map<string, number>();

  /** No deaths: processes die only by the history's hand. */
  static none(): CrashPoints {
    return new CrashPoints();
  }

  /** Up to `most` deaths, at points that the chance chooses. */
  static chosen(random: Random, most: number): CrashPoints {
    const points = new CrashPoints();
    for (let i = random.int(most + 1); i > 0; i--) {
      const role = roles[random.int(roles.length)]!;
      const aimed = random.int(2) === 0;
      // Early points are as likely as late ones.
      const nth = 1 + Math.floor(2 ** (random.next() * (aimed ? 3.5 : 7)));
      points.#deaths.push({
        role,
        effect: aimed ? aims[role][random.int(aims[role].length)] : undefined,
        moment: (['before', 'after', undefined] as const)[random.int(3)],
        nth,
      });
    }
    return points;
  }

  /** One more death, to come at the `nth` time from now on that the role comes to the point; undefined: to any. */
  add(role: Role, effect: string | undefined, moment: Moment | undefined, nth: number): void {
    if (!this.#isOver) this.#deaths.push({ role, effect, moment, nth });
  }

  /** No more deaths from now on. */
  end(): void {
    this.#isOver = true;
    this.#deaths.length = 0;
  }

  /** A process comes to a point; whether it dies there. */
  reached(role: Role, effect: string, moment: Moment): boolean {
    const { length } = this.#deaths;
    for (let i = 0; i < length; i++) {
      const death = this.#deaths[i]!;
      if (death.role !== role || (death.effect ?? effect) !== effect || (death.moment ?? moment) !== moment) continue;
      if (--death.nth > 0) continue;
      this.#deaths.splice(i, 1);
      const point = `${role} ${moment} ${effect}`;
      this.died.set(point, (this.died.get(point) ?? 0) + 1);
      return true;
    }
    return false;
  }
}
