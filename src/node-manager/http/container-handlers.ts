// Containers for their master: status and stop, with the token that came with the container's allocation.
import { isContainerToken } from '../../auth/container-token.ts';
import { type Answer, json } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { Container } from '../containers/container.ts';
import { exitStatus } from '../containers/exit-codes.ts';
import { applicationOf, type NodeView } from './context.ts';

/** The container of the path, for who holds its token. @throws Failure */
function ownContainer(view: NodeView, call: Call): Container {
  const id = call.params['containerid'] ?? '';
  applicationOf(id);
  const token = /^Bearer (\S+)$/.exec(call.headers.authorization ?? '')?.[1];
  const key = view.containerTokenKey();
  if (token === undefined || !key || !isContainerToken(key, id, token)) throw failure('BEARER_REFUSED');
  const container = view.manager.containers.get(id);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  return container;
}

/** `GET /api/v1/containers/{containerid}`: the container's report. */
export const showOwnContainer = (view: NodeView, call: Call): Answer => json(ownContainer(view, call).report());

/** `DELETE /api/v1/containers/{containerid}`: ends the container; the report may still say RUNNING. */
export function stopOwnContainer(view: NodeView, call: Call): Answer {
  const container = ownContainer(view, call);
  view.manager.kill(container, exitStatus.killedByMaster, 'Container killed by the ApplicationMaster.');
  return json(container.report(), 202);
}
