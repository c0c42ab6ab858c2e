// Reservations: one plan a reservable queue. Changes are durable before they are answered. Source of rules: AbstractReservationSystem,
// ReservationInputValidator, ClientRMService of Hadoop 3.4.

import type { Clock } from '../../lib/clock.ts';
import { parseLong } from '../../lib/java-number.ts';
import { changeEntry, isDurable, storedOrUndone } from '../../lib/reversible-change.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { Resource } from '../../model/resource.ts';
import type { PlanQueueView } from '../../scheduler/abilities.ts';
import { storedJson } from '../store/stored-json.ts';
import { checkDefinition, type ReservationDefinition } from './definition.ts';
import { findPlace, type Reservation, reservationOf, storedReservation } from './plan.ts';
import { checkAverage } from './quota.ts';
import { instancesIn, isWithin, periodOf, takenIn } from './recurrence.ts';
import type { Interval } from './room.ts';

/** The lists of a reservable queue. */
export type ReservationAcl = 'SUBMIT_RESERVATIONS' | 'LIST_RESERVATIONS' | 'ADMINISTER_RESERVATIONS';

/** A reservable queue as it is now: short name and full path both name it. */
export type PlanQueue = PlanQueueView;

/** Where reservations survive a restart. */
export interface ReservationStore {
  records(kind: string): ReadonlyMap<string, string>;
  putRecord(kind: string, key: string, value: string): Promise<void>;
  dropRecord(kind: string, key: string): Promise<void>;
}

/** What the system is made of. */
export interface ReservationSystemOptions {
  readonly store: ReservationStore;
  readonly clock: Clock;
  /** The number in reservation ids: when the resource manager started. */
  readonly clusterTimestamp: number;
  readonly planQueues: () => readonly PlanQueue[];
  readonly maximumAllocation: () => Resource;
  /** `yarn.resourcemanager.reservation-system.max-periodicity`, ms. */
  readonly maximumPeriodicityMs: number;
  /** Places are looked for from the deadline backwards (`yarn.resourcemanager.reservation-system.favor-early-allocation` false). */
  readonly late?: boolean;
  /** Whether the user is in the plan's list; absent where reservations have no lists (`yarn.acl.reservation-enable`). */
  readonly allows?: (user: string, plan: PlanQueue, acl: ReservationAcl) => boolean;
  /** A reservation came, changed or went. */
  readonly changed?: () => void;
}

const refuse = (reason: string) => failure('RESERVATION_REFUSED', { reason });
/** Under which kind the store has them. */
export const reservationKind = 'reservation';

/** The text form of a reservation id; zeros come after a sign (FastNumberFormat). */
export const formatReservationId = (timestamp: number, sequence: number): string =>
  `reservation_${timestamp}_${sequence < 0 ? '-' : ''}${String(Math.abs(sequence)).padStart(4, '0')}`;

/**
 * The canonical form of a reservation id; undefined for none.
 * @throws Failure RESERVATION_ID_INVALID, RESERVATION_ID_NOT_PARSABLE, BAD_NUMBER
 */
export function parseReservationId(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!text.startsWith('reservation_')) throw failure('RESERVATION_ID_INVALID', { id: text });
  const parts = text.split('_');
  if (parts.length !== 3) throw failure('RESERVATION_ID_NOT_PARSABLE', { id: text });
  const [, timestamp = '', sequence = ''] = parts;
  const number = (part: string, value: number | undefined): number => {
    if (value === undefined) throw failure('BAD_NUMBER', { value: part });
    return value;
  };
  return formatReservationId(number(timestamp, parseLong(timestamp)), number(sequence, parseLong(sequence)));
}

const notStored = (error: unknown) => (error instanceof Failure ? error : failure('UNAVAILABLE', { what: 'The store of reservations' }));

/** The reservations of a cluster. A change counts at once and resolves when it is durable; one that cannot be stored is taken back. */
export class ReservationSystem {
  readonly #options: ReservationSystemOptions;
  readonly #reservations = new Map<string, Reservation>();
  /** Plans of every reservation ever accepted here: a deleted one is known, but no longer in its plan. */
  readonly #plans = new Map<string, string>();
  #lastSequence = 0;
  /** Queues are to follow the plans. */
  readonly #tell = () => this.#options.changed?.();

  constructor(options: ReservationSystemOptions) {
    this.#options = options;
    for (const text of options.store.records(reservationKind).values()) {
      const reservation = reservationOf(storedJson(storedReservation, text, 'a reservation'));
      if (endOf(reservation) <= options.clock.now()) continue;
      this.#reservations.set(reservation.id, reservation);
      this.#plans.set(reservation.id, reservation.queue);
    }
  }

  /** An id that no reservation has had. */
  newId(): string {
    this.#lastSequence += 1;
    return formatReservationId(this.#options.clusterTimestamp, this.#lastSequence);
  }

  reservation(id: string): Reservation | undefined {
    return this.#reservations.get(id);
  }

  /** Accepts a reservation; again with the same definition changes nothing. @throws Failure RESERVATION_REFUSED, RESERVATION_ACCESS_REFUSED */
  async submit(id: string | undefined, queue: string | undefined, user: string, definition: ReservationDefinition): Promise<void> {
    if (id === undefined) {
      throw refuse('Reservation id cannot be null. Please try again specifying  a valid reservation id by creating a new reservation id.');
    }
    const plan = this.#plan(queue);
    this.#checkAccess(user, plan, 'SUBMIT_RESERVATIONS');
    const known = this.#reservations.get(id);
    if (known) {
      // Where its write is still under way, who asks again waits for that to be durable too.
      if (JSON.stringify(known.definition) === JSON.stringify(definition))
        return isDurable(this.#reservations, id) ? undefined : this.#keep(known);
      throw refuse(
        `Reservation allocation already exists with the reservation id ${id}, but a different reservation definition was provided. Please try again with a new reservation id, or consider updating the reservation instead.`,
      );
    }
    await this.#place(id, plan, user, definition);
  }

  /** Replaces a reservation's definition. @throws Failure RESERVATION_REFUSED, RESERVATION_ACCESS_REFUSED */
  async update(id: string | undefined, definition: ReservationDefinition, by: string): Promise<void> {
    const plan = this.#planOf(id);
    this.#checkAccess(by, plan, 'ADMINISTER_RESERVATIONS', id);
    const known = this.#inPlan(id!);
    // Whose definition counts owns it, as in Hadoop; where there are lists, an administrator does not take it away.
    await this.#place(id!, plan, this.#options.allows ? known.user : by, definition);
  }

  /** Ends a reservation. @throws Failure RESERVATION_REFUSED, RESERVATION_ACCESS_REFUSED, ILLEGAL_ARGUMENT */
  async delete(id: string | undefined, by: string): Promise<void> {
    this.#checkAccess(by, this.#planOf(id), 'ADMINISTER_RESERVATIONS', id);
    this.#inPlan(id!);
    const changes = [{ undo: this.#tell }, changeEntry(this.#reservations, id!, undefined)];
    this.#tell();
    await storedOrUndone([this.#options.store.dropRecord(reservationKind, id!)], changes, notStored);
  }

  /** Reservations of a plan that may hold something in a window, by what was asked for; a negative end means no end. @throws Failure RESERVATION_REFUSED, RESERVATION_ACCESS_REFUSED */
  list(queue: string, startMs: number, endMs: number, by: string, id?: string): Reservation[] {
    const fromMs = Math.max(0, startMs);
    const toMs = endMs < 0 ? Number.POSITIVE_INFINITY : endMs;
    if (fromMs > toMs) throw refuse('The specified end time must be greater than the specified start time.');
    const plan = this.#plan(queue);
    this.#checkAccess(by, plan, 'LIST_RESERVATIONS', id);
    return this.#of(plan).filter((reservation) => isWithin(reservation, fromMs, toMs));
  }

  /** What is reserved in a plan at a moment, by reservation: for the queues of running reservations. */
  activeAt(path: string, nowMs: number): { reservation: Reservation; resource: Resource }[] {
    return [...this.#reservations.values()].flatMap((reservation) => {
      if (reservation.queue !== path) return [];
      const [now] = instancesIn(reservation, nowMs, nowMs + 1);
      return now ? [{ reservation, resource: now.resource }] : [];
    });
  }

  /** Forgets reservations that are over. */
  async dropEnded(): Promise<void> {
    const nowMs = this.#options.clock.now();
    const over = [...this.#reservations.values()].filter((reservation) => endOf(reservation) <= nowMs);
    for (const { id } of over) this.#reservations.delete(id);
    await Promise.all(over.map(({ id }) => this.#options.store.dropRecord(reservationKind, id)));
  }

  async #place(id: string, plan: PlanQueue, user: string, definition: ReservationDefinition): Promise<void> {
    const { clock, maximumAllocation, maximumPeriodicityMs } = this.#options;
    const nowMs = clock.now();
    const compare = (a: Resource, b: Resource) => plan.compare(a, b);
    const bounds = { nowMs, total: plan.total, compare, maximumAllocation: maximumAllocation(), maximumPeriodicityMs };
    checkDefinition(definition, bounds);
    const others = this.#of(plan).filter((reservation) => reservation.id !== id);
    const window = { fromMs: definition.arrivalMs, toMs: definition.deadlineMs };
    const periodMs = periodOf(definition.recurrence);
    const takenBy = (reservations: readonly Reservation[]): Interval[] => takenIn(reservations, window, periodMs, maximumPeriodicityMs);
    const own = others.filter((reservation) => reservation.user === user);
    const quota = plan.rules?.quota;
    const allocations = findPlace(definition, {
      taken: takenBy(others),
      total: plan.total,
      maximumAllocation: bounds.maximumAllocation,
      greedy: plan.rules?.greedy ?? false,
      late: this.#options.late ?? false,
      ...(quota ? { ofUser: takenBy(own), userTotal: plan.total.map((amount) => Math.floor(amount * quota.instantaneous)) } : {}),
    });
    const reservation: Reservation = { id, user, queue: plan.path, definition, acceptedMs: nowMs, allocations };
    if (quota) checkAverage(reservation, own, plan.total, quota);
    await this.#keep(reservation);
  }

  /** It counts at once, and is taken back where it cannot be stored. */
  #keep(reservation: Reservation): Promise<void> {
    const { id, queue } = reservation;
    const changes = [{ undo: this.#tell }, changeEntry(this.#reservations, id, reservation), changeEntry(this.#plans, id, queue)];
    this.#tell();
    return storedOrUndone([this.#options.store.putRecord(reservationKind, id, JSON.stringify(reservation))], changes, notStored);
  }

  /** Owners, users in the list of the operation, and administrators of the plan's reservations pass. @throws Failure RESERVATION_ACCESS_REFUSED */
  #checkAccess(user: string, plan: PlanQueue, acl: ReservationAcl, id?: string): void {
    const { allows } = this.#options;
    if (!allows || allows(user, plan, acl) || allows(user, plan, 'ADMINISTER_RESERVATIONS')) return;
    if (id !== undefined && this.#reservations.get(id)?.user === user) return;
    throw failure('RESERVATION_ACCESS_REFUSED', { user, acl, queue: plan.name });
  }

  #of(plan: PlanQueue): Reservation[] {
    return [...this.#reservations.values()].filter((reservation) => reservation.queue === plan.path);
  }

  #plan(queue: string | undefined): PlanQueue {
    if (queue === undefined || queue === '') throw refuse('The queue is not specified. Please try again with a valid reservable queue.');
    const plan = this.#options.planQueues().find(({ name, path }) => name === queue || path === queue);
    if (!plan) {
      throw refuse(`The specified queue: ${queue} is not managed by reservation system. Please try again with a valid reservable queue.`);
    }
    return plan;
  }

  #planOf(id: string | undefined): PlanQueue {
    if (id === undefined) throw refuse('Missing reservation id. Please try again by specifying a reservation id.');
    const path = this.#plans.get(id);
    if (path === undefined) throw refuse(`The specified reservation with ID: ${id} is unknown. Please try again with a valid reservation.`);
    const plan = this.#options.planQueues().find((queue) => queue.path === path);
    if (!plan)
      throw refuse(`The specified reservation: ${id} is not associated with any valid plan. Please try again with a valid reservation.`);
    return plan;
  }

  #inPlan(id: string): Reservation {
    const known = this.#reservations.get(id);
    if (!known) throw failure('ILLEGAL_ARGUMENT', { reason: `The specified Reservation with ID ${id} does not exist in the plan` });
    return known;
  }
}

const endOf = ({ allocations, definition }: Reservation): number =>
  periodOf(definition.recurrence) > 0 ? Number.POSITIVE_INFINITY : (allocations.at(-1)?.endMs ?? 0);
