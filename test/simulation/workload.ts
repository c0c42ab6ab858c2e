// What users do in a history: they submit, change and kill applications, and run masters of their own beside the cluster.
import { type Application, currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { isCompletedState } from '../../src/resource-manager/applications/application-states.ts';
import { submissionOf } from './submissions.ts';
import type { World } from './world.ts';

const queues = ['a1', 'a2', 'b', 'a1', 'root.b', 'root.a.a2', 'a2', 'b', 'a3', undefined];

export const pick = <T>(world: World, from: readonly T[]): T | undefined => from[world.random.int(from.length)];
export const liveApplications = (world: World): Application[] => [...world.cluster.view.applications()];

/** A reservation that runs now, where there is one, or any. */
function reservationFor(world: World): string | undefined {
  const { cluster, clock, random } = world;
  const { reservations } = world.manager;
  const plans = cluster.policy.reservable?.list() ?? [];
  const running = plans.flatMap(({ path }) => reservations?.activeAt(path, clock.now()).map(({ reservation }) => reservation.id) ?? []);
  return running.length > 0 && random.int(4) > 0 ? pick(world, running) : pick(world, [undefined, ...world.knownReservations]);
}

/** A queue, or the queue of reservations with one of them. */
const placeOf = (world: World) =>
  world.manager.reservations && world.random.int(world.knownReservations.length > 1 ? 4 : 16) === 0
    ? { queue: 'r', reservationId: reservationFor(world) }
    : { queue: pick(world, queues) };

/** A submission; sometimes of an id that was accepted before. */
export function submit(world: World): unknown {
  const { random, cluster, isAdministered } = world;
  if (cluster.view.containerCount > 40 || cluster.sizes().waiting > 8) return undefined;
  const known = [...world.ledger.submitted];
  const id = random.int(8) === 0 && known.length > 0 ? pick(world, known)! : cluster.newApplicationId();
  const labels = isAdministered ? ['', '', '', 'x', 'y'] : [''];
  return world.submit(
    submissionOf(id, {
      ...placeOf(world),
      priority: random.int(4) - 1,
      unmanaged: random.int(8) === 0,
      maximumAttempts: random.int(4),
      keepContainers: random.int(3) === 0,
      failuresValidityIntervalMs: random.int(4) === 0 ? 20_000 : -1,
      resource: [128 * (1 + random.int(4)), 1],
      lifetimeSeconds: random.int(16) === 0 ? 1 + random.int(200) : undefined,
      applicationLabelExpression: pick(world, labels)!,
      masterLabelExpression: pick(world, labels)!,
    }),
    pick(world, ['ada', 'ben', 'eve'])!,
  );
}

/** Notes a change that was acknowledged; while it is under way the former value or the new one holds. */
async function acknowledged<K extends 'priority' | 'queue' | 'expiryMs'>(
  world: World,
  id: string,
  what: K,
  change: Promise<unknown>,
  value: () => number | string | undefined,
): Promise<void> {
  const { manager, ledger } = world;
  const own = ledger.changed.get(id) ?? {};
  ledger.changed.set(id, own);
  delete own[what];
  const ends = ledger.latest.begin(own, what);
  await change;
  if (ends() && manager.isAlive) Object.assign(own, { [what]: value() });
}

export function changeApplication(world: World): unknown {
  const { random, cluster } = world;
  const application = pick(world, liveApplications(world));
  if (!application || isCompletedState[application.state]) return undefined;
  const { id } = application;
  if (random.int(3) === 0 && (application.state === 'ACCEPTED' || application.state === 'RUNNING')) {
    const found = cluster.policy.resolveQueue(pick(world, ['a1', 'a2', 'b', 'a3', 'r'])!);
    if (typeof found !== 'object') return undefined;
    return acknowledged(world, id, 'queue', cluster.move(application, found.queue), () => application.queue);
  }
  if (!application.admitted) return undefined;
  if (random.int(2) === 0)
    return acknowledged(world, id, 'priority', cluster.setPriority(application, random.int(10)), () => application.priority);
  const expiryMs = random.int(3) === 0 ? undefined : world.clock.now() + 20_000 + random.int(300_000);
  return acknowledged(world, id, 'expiryMs', cluster.setLifetime(application, expiryMs), () => application.lifetimeExpiryMs);
}

/** Masters that were not launched come by themselves. */
export function unmanagedMaster(world: World): void {
  for (const application of liveApplications(world)) {
    const attempt = currentAttempt(application);
    if (!application.submission.unmanaged || attempt?.state !== 'LAUNCHED') continue;
    if (world.masters.some(({ attemptId }) => attemptId === attempt.id)) continue;
    const { id: attemptId, token } = attempt;
    world.addMaster({ applicationId: application.id, attemptId, token, containerId: undefined }, undefined);
  }
}

/** An attempt, the current one or one before it, is failed by hand: it is over for ever, whatever dies. */
export async function failAttempt(world: World): Promise<void> {
  const { manager, ledger } = world;
  const attempt = pick(world, pick(world, liveApplications(world))?.attempts ?? []);
  const application = attempt && manager.cluster.view.attempt(attempt.id)?.application;
  if (!attempt || !application || isCompletedState[application.state]) return;
  await manager.cluster.failAttempt(application, attempt);
  if (manager.isAlive) ledger.failedAttempts.add(attempt.id);
}

export function killApplication(world: World): unknown {
  const application = pick(world, liveApplications(world));
  return application && world.killApplication(application);
}
