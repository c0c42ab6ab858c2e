// Brings the queues in line with the plan, step by step and whenever a reservation changes (Hadoop's plan follower).
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { ReservationSystem } from './reservation-system.ts';

export interface PlanFollowerOptions {
  readonly reservations: ReservationSystem;
  readonly policy: SchedulingPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `yarn.resourcemanager.reservation-system.planfollower.time-step`, ms. */
  readonly stepMs: number;
  /** Ends an application whose reservation is over and which may not move on. */
  readonly end: (applicationId: string, diagnostics: string) => void;
  /** The queues may have changed. */
  readonly followed: () => void;
}

export class PlanFollower {
  readonly #options: PlanFollowerOptions;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: PlanFollowerOptions) {
    this.#options = options;
  }

  /** One step now, and one each time step from now on. */
  run(): void {
    if (this.#closed) return;
    this.#timer?.cancel();
    const { clock, stepMs, logger, reservations } = this.#options;
    this.follow();
    void reservations
      .dropEnded()
      .catch((error: unknown) => logger.error({ err: error }, 'reservations that are over could not be dropped'));
    this.#timer = clock.setTimer(Math.max(1, stepMs), () => this.run());
  }

  /** Gives every reservation of the moment its queue and takes those of ended ones away. */
  follow(): void {
    const { reservations, policy, clock, end, followed } = this.#options;
    let any = false;
    for (const { path } of policy.reservable?.list() ?? []) {
      const running = reservations.activeAt(path, clock.now()).map(({ reservation, resource }) => ({
        name: reservation.id,
        resource,
        gang: reservation.definition.requests.some(({ concurrency }) => concurrency > 1),
      }));
      const { changed, mustEnd } = policy.reservable!.follow(path, running);
      any ||= changed;
      for (const id of mustEnd) end(id, `Application killed due to expiry of reservation queue of ${path}.`);
    }
    if (any) followed();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }
}
