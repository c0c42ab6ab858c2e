// Changing applications: kill, move, priority, lifetime, signals to containers. Order of checks as in RMWebServices.
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { type Answer, answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { formatContainerId, InvalidId, parseContainerId } from '../../model/ids.ts';
import { appPriority, appQueue, appState, appTimeout } from '../../wire/cluster/application.ts';
import type { SignalCommand } from '../../wire/cluster/node-channel.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { type Application, publicState } from '../applications/application.ts';
import { isCompletedState, isFinalState } from '../applications/application-states.ts';
import { findApplication } from './application-lookup.ts';
import type { Parts } from './parts.ts';
import { parseExpiry } from './times.ts';

const id = (call: Call<never>): string => call.params['appid'] ?? '';

/** Refuses who may not change the application, with the given error. */
function mustModify(
  parts: Parts,
  call: Call<never>,
  application: Application,
  user: string,
  operation: string,
  code: 'KILL_REFUSED' | 'MOVE_REFUSED' | 'PRIORITY_REFUSED' | 'TIMEOUT_REFUSED',
): void {
  if (parts.access.mayModify(application, user)) return;
  parts.access.refused(call.caller, { operation, target: application.id });
  throw failure(code, { id: application.id, user });
}

/** Before the scheduler knows the application nothing about it can be changed. */
const isYoung = ({ state }: Application): boolean => state === 'NEW' || state === 'NEW_SAVING' || state === 'SUBMITTED';

/** `PUT /apps/{appid}/state`: kills. 200 when there is nothing (more) to do, else 202. */
export async function changeState(parts: Parts, call: Call<Shape<typeof appState>>): Promise<Answer> {
  const user = parts.access.writer(call.caller);
  const application = findApplication(parts, id(call as never));
  const { state, diagnostics } = call.body;
  if (state === application.state) return ok(appState, { state });
  if (state === undefined) throw failure('STATE_MISSING');
  if (state !== 'KILLED') throw failure('STATE_TARGET_UNKNOWN');
  mustModify(parts, call as never, application, user, 'kill application', 'KILL_REFUSED');
  if (isFinalState[application.state]) return ok(appState, { state: application.state });
  const killed = parts.cluster.killByUser(application, user, diagnostics);
  const begun = application.state;
  const result = await killed;
  parts.access.changed(call.caller, { operation: 'kill application', target: application.id });
  if (result === 'done') return ok(appState, { state: application.state });
  return answer(202, appState, { state: begun }, { location: `${call.scheme}://${call.host}${call.path}` });
}

/** `PUT /apps/{appid}/queue`: moves. */
export async function changeQueue(parts: Parts, call: Call<Shape<typeof appQueue>>): Promise<Answer> {
  const { access, policy, cluster } = parts;
  const user = access.writer(call.caller);
  const application = findApplication(parts, id(call as never));
  const { queue } = call.body;
  if (queue === application.queue) return ok(appQueue, { queue });
  mustModify(parts, call as never, application, user, 'move application', 'MOVE_REFUSED');
  const target = queue === undefined || queue === '' ? 'unknown' : policy.resolveQueue(queue);
  const targetName = typeof target === 'object' ? target.queue : queue;
  const mayEnter =
    typeof target === 'object' &&
    (access.mayUseQueue(target.queue, user, 'SUBMIT_APPLICATIONS') || access.mayUseQueue(target.queue, user, 'ADMINISTER_QUEUE'));
  if (access.aclEnabled && !mayEnter && policy.kind !== 'fifo') {
    access.refused(call.caller, { operation: 'move application', target: application.id, queue });
    throw failure('MOVE_REFUSED', { id: application.id, user });
  }
  if (application.state !== 'ACCEPTED' && application.state !== 'RUNNING')
    throw failure('APPLICATION_NOT_MOVABLE', { state: application.state });
  if (targetName === application.queue) return ok(appQueue, { queue: application.queue });
  const result = await cluster.move(application, queue ?? '');
  if ('refused' in result) throw failure('MOVE_IMPOSSIBLE', { reason: result.refused });
  access.changed(call.caller, { operation: 'move application', target: application.id, queue: result.moved });
  return ok(appQueue, { queue: result.moved });
}

/** `PUT /apps/{appid}/priority`. */
export async function changePriority(parts: Parts, call: Call<Shape<typeof appPriority>>): Promise<Answer> {
  const { access, policy, cluster } = parts;
  const user = access.writer(call.caller);
  const application = findApplication(parts, id(call as never));
  const priority = call.body.priority ?? 0;
  if (priority === application.priority) return ok(appPriority, { priority });
  mustModify(parts, call as never, application, user, 'change priority', 'PRIORITY_REFUSED');
  if (isCompletedState[application.state]) return ok(appPriority, { priority: application.priority });
  if (isYoung(application)) throw failure('APPLICATION_TOO_YOUNG', { state: application.state, what: 'priority' });
  if (policy.kind === 'fair') throw failure('PRIORITY_IMPOSSIBLE', { reason: 'The fair scheduler knows no priorities of applications.' });
  const tooHigh = policy.checkPriority(application.id, user, access.groupsOf(user), application.queue, priority);
  if (tooHigh !== undefined) throw failure('PRIORITY_IMPOSSIBLE', { reason: tooHigh });
  const effective = await cluster.setPriority(application, priority);
  access.changed(call.caller, { operation: 'change priority', target: application.id, priority: effective });
  return ok(appPriority, { priority: effective });
}

/** `PUT /apps/{appid}/timeout`: sets the lifetime. */
export async function changeTimeout(parts: Parts, call: Call<Shape<typeof appTimeout>>): Promise<Answer> {
  const { access, cluster, views, clock } = parts;
  const user = access.writer(call.caller);
  const application = findApplication(parts, id(call as never));
  const { type, expiryTime = 'UNLIMITED' } = call.body;
  if (type !== 'LIFETIME') throw failure('TIMEOUT_INCOMPLETE');
  mustModify(parts, call as never, application, user, 'change timeout', 'TIMEOUT_REFUSED');
  if (isCompletedState[application.state]) return ok(appTimeout, views.timeout(application, false));
  const expiryMs = parseExpiry(expiryTime);
  if (isYoung(application)) throw failure('APPLICATION_TOO_YOUNG', { state: publicState(application), what: 'timeout' });
  if (expiryMs < clock.now()) throw failure('TIMEOUT_IN_THE_PAST', { now: clock.now(), expiry: expiryMs });
  await cluster.setLifetime(application, expiryMs);
  access.changed(call.caller, { operation: 'change timeout', target: application.id, expiryMs });
  return ok(appTimeout, views.timeout(application, false));
}

const signals: readonly SignalCommand[] = ['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN'];

/** `POST /containers/{containerid}/signal/{command}`. */
export function signalContainer(parts: Parts, call: Call): Answer {
  const { access, cluster } = parts;
  const user = access.writer(call.caller);
  const command = (call.params['command'] ?? '').toUpperCase();
  if (!signals.includes(command as SignalCommand)) throw failure('SIGNAL_UNKNOWN', { command });
  const containerId = containerIdOf(call.params['containerid'] ?? '');
  const container = cluster.view.container(containerId);
  const application = container && cluster.view.application(container.applicationId);
  if (!container || !application) throw failure('SIGNAL_CONTAINER_ABSENT', { id: containerId });
  const { signalsUnchecked } = parts.configuration.values(resourceManagerSettings);
  if (!signalsUnchecked && !access.mayModify(application, user)) {
    access.refused(call.caller, { operation: 'signal container', target: containerId, command });
    throw failure('SIGNAL_REFUSED', { user, id: containerId });
  }
  cluster.signal(container, command as SignalCommand);
  access.changed(call.caller, { operation: 'signal container', target: containerId, command });
  return rendered('');
}

function containerIdOf(text: string): string {
  try {
    return formatContainerId(parseContainerId(text));
  } catch (error) {
    if (error instanceof InvalidId) throw failure('SIGNAL_ID_MALFORMED', { reason: error.message });
    throw error;
  }
}
