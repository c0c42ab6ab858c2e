// Changing applications over REST: kill, move, priority, lifetime, signals to containers. Bodies and answers of RMWebServices; the rules are
// those of the commands.
import { type Answer, answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { appPriority, appQueue, appState, appTimeout } from '../../wire/cluster/application.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import type { Commands } from '../commands/commands.ts';
import { type ApplicationLookup, findApplication } from '../commands/find-application.ts';
import type { ApplicationViews } from '../views/applications-view.ts';
import type { KnownCaller } from './callers.ts';

/** What these handlers work with. */
export interface ApplicationChangesNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'kill' | 'move' | 'setPriority' | 'setLifetime' | 'signal'>;
  readonly cluster: ApplicationLookup;
  readonly views: Pick<ApplicationViews, 'timeout'>;
}

const id = ({ params }: Pick<Call, 'params'>): string => params['appid'] ?? '';

/** `PUT /apps/{appid}/state`: kills. 200 when there is nothing (more) to do, else 202. */
export async function changeState(
  { caller: known, commands, cluster }: ApplicationChangesNeeds,
  call: Call<Shape<typeof appState>>,
): Promise<Answer> {
  const caller = known(call.caller);
  const application = findApplication(cluster, id(call));
  const { state, diagnostics } = call.body;
  // A target that is reached already is no change, whichever it is.
  if (state === application.state) return ok(appState, { state });
  if (state === undefined) throw failure('STATE_MISSING');
  if (state !== 'KILLED') throw failure('STATE_TARGET_UNKNOWN');
  const killed = await commands.kill(caller, application.id, diagnostics);
  if (killed.isDone) return ok(appState, { state: killed.state });
  return answer(202, appState, { state: killed.state }, { location: `${call.scheme}://${call.host}${call.path}` });
}

/** `PUT /apps/{appid}/queue`: moves. */
export async function changeQueue({ caller, commands }: ApplicationChangesNeeds, call: Call<Shape<typeof appQueue>>): Promise<Answer> {
  return ok(appQueue, { queue: await commands.move(caller(call.caller), id(call), call.body.queue) });
}

/** `PUT /apps/{appid}/priority`; a body without one means 0. */
export async function changePriority(
  { caller, commands }: ApplicationChangesNeeds,
  call: Call<Shape<typeof appPriority>>,
): Promise<Answer> {
  return ok(appPriority, { priority: await commands.setPriority(caller(call.caller), id(call), call.body.priority ?? 0) });
}

/** `PUT /apps/{appid}/timeout`: sets the lifetime. */
export async function changeTimeout(
  { caller, commands, views }: ApplicationChangesNeeds,
  call: Call<Shape<typeof appTimeout>>,
): Promise<Answer> {
  const { type, expiryTime } = call.body;
  const application = await commands.setLifetime(caller(call.caller), id(call), { type, expiry: expiryTime });
  return ok(appTimeout, views.timeout(application, false));
}

/** `POST /containers/{containerid}/signal/{command}`. */
export function signalContainer({ caller, commands }: ApplicationChangesNeeds, call: Call): Answer {
  commands.signal(caller(call.caller), call.params['containerid'] ?? '', call.params['command'] ?? '');
  return rendered('');
}
