// The door through which simulated masters come to the resource manager: the commands behind the master protocol, without HTTP.

import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import { finish } from '../../src/resource-manager/commands/finish.ts';
import { register } from '../../src/resource-manager/commands/register.ts';
import type { AllocateResponse } from '../../src/wire/cluster/master-protocol.ts';
import { Refused } from './calls.ts';
import type { ManagerProcess } from './manager.ts';

/** Who calls. */
export interface Caller {
  readonly attemptId: string;
  readonly token: string;
}

/** As far as masters here look at it. */
export interface Registered {
  readonly containers: readonly { readonly containerId: string; readonly askId: string; readonly nodeId: string }[];
  readonly notes: readonly string[];
  /** The number of the first call. */
  readonly responseId: number;
  /** Which life of the resource manager it was. */
  readonly epoch: number;
}

const find = ({ cluster }: ManagerProcess, { attemptId, token }: Caller) => {
  const found = cluster.view.attempt(attemptId);
  if (!found || found.attempt.token !== token) throw new Refused(`${attemptId} is not known`);
  return found;
};

export async function registerMaster(
  manager: ManagerProcess,
  caller: Caller,
  said: { readonly heardEnds: readonly string[]; readonly registrationId: string | undefined },
): Promise<Registered> {
  const { cluster } = manager;
  const masters = {
    register: (...call: Parameters<typeof cluster.registerMaster>) => cluster.registerMaster(...call),
    isSupersededRegistration: (...call: Parameters<typeof cluster.isSupersededRegistration>) => cluster.isSupersededRegistration(...call),
    ending: (applicationId: string) => cluster.view.ending(applicationId),
    tokenOf: (...call: Parameters<typeof cluster.tokenOf>) => cluster.tokenOf(...call),
    notesOf: (applicationId: string) => cluster.notesOf(applicationId),
  };
  const heard = manager.hears(caller.attemptId);
  const { containers, over, notes, responseId } = await register(
    { masters, policy: cluster.policy, handlesConstraints: true },
    find(manager, caller),
    {
      host: 'h',
      rpcPort: 1,
      trackingUrl: 'http://h/',
      constraints: [],
      ...said,
    },
  );
  heard();
  const held = containers.map(({ container: { id, requestId, nodeId } }) => ({ containerId: id, askId: requestId, nodeId }));
  return {
    containers: [...held, ...over.map(({ containerId, askId = '', nodeId }) => ({ containerId, askId, nodeId }))],
    notes,
    responseId,
    epoch: manager.epoch,
  };
}

export async function allocate(
  manager: ManagerProcess,
  caller: Caller,
  call: TakenRequest,
  waitMs: number,
  signal: AbortSignal,
): Promise<AllocateResponse> {
  const { application, attempt } = find(manager, caller);
  if (attempt.state === 'RUNNING') manager.hears(attempt.id)();
  return manager.cluster.allocate(application, attempt, call, waitMs, signal);
}

export type FinalStatus = 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ENDED' | 'UNDEFINED';

export async function finishMaster(manager: ManagerProcess, caller: Caller, finalStatus: FinalStatus): Promise<void> {
  const { cluster } = manager;
  const masters = {
    unregister: (...call: Parameters<typeof cluster.unregisterMaster>) => cluster.unregisterMaster(...call),
    ending: (applicationId: string) => cluster.view.ending(applicationId),
  };
  await finish({ masters }, find(manager, caller), { finalStatus, diagnostics: 'bye', trackingUrl: undefined });
}
