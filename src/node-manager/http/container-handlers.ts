// Containers for their master, with the token that came with the container's allocation: start, status, stop, pause.
import { type ContainerTokenContent, readContainerToken } from '../../auth/container-token.ts';
import { bearerToken } from '../../auth/secrets.ts';
import { type Answer, json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Call } from '../../http/service.ts';
import { fields } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import { completeLaunch, launchShape } from '../../wire/cluster/launch-context.ts';
import type { NodeAddress } from '../address.ts';
import type { ContainerCommands } from '../commands/container-commands.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { applicationOf } from './container-ids.ts';

/** What masters' calls work on. */
export interface MasterCalls {
  readonly manager: Pick<ContainerManager, 'containers'>;
  readonly commands: ContainerCommands;
  readonly address: NodeAddress;
  /** The key of container tokens, once the resource manager has told it. */
  readonly containerTokenKey: () => Buffer | undefined;
}

export const startRequest = fields({ launch: launchShape });

/** What the token of the call says of the container of its path. @throws Failure */
function tokenOf(node: MasterCalls, call: Pick<Call, 'params' | 'headers'>): ContainerTokenContent {
  const id = call.params['containerid'] ?? '';
  applicationOf(id);
  const token = bearerToken(call.headers);
  const key = node.containerTokenKey();
  const content = token === undefined || !key ? undefined : readContainerToken(key, token);
  if (content?.containerId !== id || content.nodeId !== node.address.nodeId)
    throw failure('BEARER_REFUSED', { mechanism: 'container-token' });
  return content;
}

/** Refuses who does not hold the token of the container. @throws Failure */
export const admitMaster = (node: MasterCalls, call: Pick<Call, 'params' | 'headers'>): void => void tokenOf(node, call);

/** The container of the path, for who holds its token. @throws Failure */
function ownContainer(node: MasterCalls, call: Call<unknown>): Container {
  const { containerId } = tokenOf(node, call);
  const container = node.manager.containers.get(containerId);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id: containerId });
  return container;
}

/** Whose master calls. */
const callerOf = ({ user }: ContainerTokenContent, { remoteAddress, caller }: Call<unknown>) => ({
  user,
  remoteAddress,
  requestId: caller.requestId,
});

/** `GET /api/v1/containers/{containerid}`: the container's report. */
export const showOwnContainer = (node: MasterCalls, call: Call): Answer => json(ownContainer(node, call).report());

/** `POST /api/v1/containers/{containerid}`: starts the container; its token says what it may be, the body what runs. */
export function startOwnContainer(node: MasterCalls, call: Call<Buffer>): Answer {
  const token = tokenOf(node, call);
  const { launch } = jsonBody(startRequest, call.body);
  return json(node.commands.start(callerOf(token, call), token, completeLaunch(launch)).report(), 202);
}

/** `DELETE /api/v1/containers/{containerid}`: ends the container; the report may still say RUNNING. */
export function stopOwnContainer(node: MasterCalls, call: Call): Answer {
  const container = ownContainer(node, call);
  node.commands.stop(callerOf(tokenOf(node, call), call), container);
  return json(container.report(), 202);
}

/** `POST /api/v1/containers/{containerid}/pause` and `/resume`: where the engine can hold processes. */
export async function holdOwnContainer(node: MasterCalls, call: Call<Buffer>, what: 'pause' | 'resume'): Promise<Answer> {
  const container = ownContainer(node, call);
  await node.commands.hold(callerOf(tokenOf(node, call), call), container, what);
  return json({ containerId: container.id, state: container.state });
}
