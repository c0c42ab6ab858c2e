// What there is to choose from in lists of applications, with how many each choice has: states, outcomes, users, queues, types. Those that live
// are counted as they change, those that ended by the store with each end: an answer costs as much as there are combinations.
import { facetOf } from '../../lib/facet.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { type Application, finalStatus, publicState } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** What applications are chosen by. */
export interface FacetFacts {
  readonly state: string;
  readonly finalStatus: string;
  readonly user: string;
  readonly queue: string;
  readonly type: string;
}

/** How many applications have the same of everything. */
export interface FacetCount extends FacetFacts {
  readonly count: number;
  /** They live: a queue counts those of the queues below it, too. */
  readonly isLive: boolean;
}

/** The choices that are made; absent: none. As in `ApplicationFilter`. */
export interface ChosenFacets {
  readonly states?: ReadonlySet<string> | undefined;
  readonly finalStatus?: string | undefined;
  readonly users?: ReadonlySet<string> | undefined;
  readonly queues?: ReadonlySet<string> | undefined;
  /** In lower case. */
  readonly types?: ReadonlySet<string> | undefined;
}

/** Counts applications that live, by everything that they are chosen by. */
export class LiveFacets implements ClusterObserver {
  readonly #keys = new Map<string, string>();
  readonly #counts = new Map<string, { readonly facts: FacetFacts; count: number }>();

  applicationCreated(application: Application): void {
    this.#note(application);
  }

  applicationAdmitted(application: Application): void {
    this.#note(application);
  }

  applicationRecovered(application: Application): void {
    this.#note(application);
  }

  applicationUpdated(application: Application): void {
    this.#note(application);
  }

  applicationStateChanged(application: Application): void {
    this.#note(application);
  }

  submissionRefused({ id }: Application): void {
    this.#put(id, undefined);
  }

  applicationFinished({ id }: Application): void {
    this.#put(id, undefined);
  }

  /** How many there are of each. */
  counts(): FacetCount[] {
    return [...this.#counts.values()].map(({ facts, count }) => ({ ...facts, count, isLive: true }));
  }

  #note(application: Application): void {
    const state = publicState(application);
    // The store counts it from here on.
    if (isFinalApplicationState(state)) this.#put(application.id, undefined);
    else {
      const { user, queue, submission } = application;
      this.#put(application.id, { state, finalStatus: finalStatus(application), user, queue, type: submission.type });
    }
  }

  #put(id: string, facts: FacetFacts | undefined): void {
    const key = facts && `${facts.state}\0${facts.finalStatus}\0${facts.user}\0${facts.queue}\0${facts.type}`;
    const before = this.#keys.get(id);
    if (before === key) return;
    if (before !== undefined) {
      const entry = this.#counts.get(before)!;
      if (--entry.count === 0) this.#counts.delete(before);
    }
    if (key === undefined) {
      this.#keys.delete(id);
      return;
    }
    this.#keys.set(id, key);
    const entry = this.#counts.get(key);
    if (entry) entry.count++;
    else this.#counts.set(key, { facts: facts!, count: 1 });
  }
}

const isOfQueue = ({ queue, isLive }: FacetCount, wanted: string): boolean =>
  queue === wanted || (isLive && queue.startsWith(`${wanted}.`));

/** Kinds of choices, each with whether a count passes what was chosen of it. State and outcome are one: how a list stands. */
const kinds = {
  state: ({ state, finalStatus: outcome }: FacetCount, chosen: ChosenFacets) =>
    (!chosen.states || chosen.states.has(state)) && (chosen.finalStatus === undefined || chosen.finalStatus === outcome),
  user: ({ user }: FacetCount, { users }: ChosenFacets) => !users || users.has(user),
  queue: (count: FacetCount, { queues }: ChosenFacets) => !queues || queues.values().some((wanted) => isOfQueue(count, wanted)),
  type: ({ type }: FacetCount, { types }: ChosenFacets) => !types || types.has(type.toLowerCase()),
} as const;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly Kind[];

/**
 * What there is to choose from: of each kind what lists would have with the choices of the other kinds, at most `most` values. `isShown`: whether the
 * caller's lists have them.
 */
export function facetsOf(
  counts: Iterable<FacetCount>,
  chosen: ChosenFacets,
  { most, isShown = () => true }: { readonly most: number; readonly isShown?: (count: FacetCount) => boolean },
) {
  const [states, finalStatuses, users, queues, types] = [0, 1, 2, 3, 4].map(() => new Map<string, number>()) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ];
  const tallies = {
    state: [
      [states, 'state'],
      [finalStatuses, 'finalStatus'],
    ],
    user: [[users, 'user']],
    queue: [[queues, 'queue']],
    type: [[types, 'type']],
  } as const;
  let total = 0;
  for (const each of counts) {
    if (!isShown(each)) continue;
    // The only kind by which it does not pass; no name: it passes. Of two it is in no list.
    let only: Kind | undefined;
    let failures = 0;
    for (const kind of kindNames) {
      if (kinds[kind](each, chosen)) continue;
      only = kind;
      failures++;
    }
    if (failures > 1) continue;
    if (failures === 0) total += each.count;
    for (const kind of kindNames) {
      if (only !== undefined && only !== kind) continue;
      for (const [tally, member] of tallies[kind]) tally.set(each[member], (tally.get(each[member]) ?? 0) + each.count);
    }
  }
  return {
    total,
    states: facetOf(states, chosen.states, most),
    finalStatuses: facetOf(finalStatuses, chosen.finalStatus === undefined ? undefined : new Set([chosen.finalStatus]), most),
    users: facetOf(users, chosen.users, most),
    queues: facetOf(queues, chosen.queues, most),
    types: facetOf(types, undefined, most),
  };
}
