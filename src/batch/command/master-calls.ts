// What the master of a command needs from the master protocol, and how it gets it: response numbers and restarts of the resource manager stay in here.
import { type MasterClient, newRegistrationId } from '../../client/master-client.ts';
import type { AllocateRequest as ProtocolRequest, RegisterRequest } from '../../wire/cluster/master-protocol.ts';

type Ask = NonNullable<ProtocolRequest['asks']>[number];

/** New asks, withdrawn ones, containers given back. */
export interface AllocateRequest {
  readonly progress: number;
  readonly asks: readonly Ask[];
  readonly cancels: readonly string[];
  readonly releases: readonly string[];
  /** Kept for the masters that may follow this one. */
  readonly notes?: readonly string[];
}

/** A container and what it was given for. */
export interface Given {
  readonly containerId: string;
  readonly askId: string;
  readonly nodeHttpAddress: string;
}

/** New containers and ended ones; one that ended before an answer gave it has the name of the request that it was given for. */
export interface AllocateAnswer {
  readonly allocations: readonly Given[];
  readonly completed: readonly (Omit<Given, 'askId'> & {
    readonly askId?: string;
    readonly exitCode: number;
    readonly diagnostics: string;
  })[];
  /** Asks that the cluster has given up to place. */
  readonly rejected?: readonly { readonly askId: string; readonly reason: string }[];
  /** How many instances there are to be from now on. */
  readonly instances?: number;
  readonly command?: 'shutdown';
}

/** The calls; a repetition of a call that failed on the way is the implementation's business. */
export interface MasterCalls {
  register(request: RegisterRequest): Promise<{
    readonly maximumResource: { readonly memoryMiB: number; readonly vcores: number };
    /** What runs for this application since an earlier master. */
    readonly runningContainers: readonly Given[];
    /** What earlier masters noted. */
    readonly notes: readonly string[];
    /** How many instances there are to be; absent: as many as it was submitted with. */
    readonly instances?: number | undefined;
  }>;
  /** Sends requests and waits up to `waitMs` for news. Every request is for one container. */
  allocate(request: AllocateRequest, waitMs: number): Promise<AllocateAnswer>;
  finish(request: {
    readonly finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ENDED';
    readonly diagnostics: string;
    readonly trackingUrl: string;
  }): Promise<unknown>;
}

/** The calls of one attempt. After a restart of the resource manager it registers again and repeats its open asks. */
export function masterCalls(client: Pick<MasterClient, 'register' | 'allocate' | 'finish'>): MasterCalls {
  let responseId = 0;
  let registration: RegisterRequest = {};
  const open = new Map<string, Ask>();
  const known = new Set<string>();
  /** Whose ends the last answer told: after a restart of the resource manager they are not told again. */
  let heardEnds: readonly string[] = [];
  const register = async (more: RegisterRequest = {}) => {
    const answer = await client.register({ ...registration, ...more, registrationId: newRegistrationId() });
    responseId = answer.responseId ?? 0;
    return answer;
  };

  return {
    async register(request) {
      registration = request;
      const answer = await register();
      for (const { containerId } of answer.runningContainers) known.add(containerId);
      return answer;
    },
    async allocate({ progress, asks, cancels, releases, notes = [] }, waitMs) {
      for (const ask of asks) open.set(ask.askId, ask);
      for (const askId of cancels) open.delete(askId);
      const found: Given[] = [];
      const completed: AllocateAnswer['completed'][number][] = [];
      let instances: number | undefined;
      const hear = (answer: Pick<AllocateAnswer, 'allocations' | 'completed'>) => {
        const untold = answer.completed.filter(({ containerId, askId }) => !known.has(containerId) && open.has(askId ?? ''));
        for (const { containerId, askId = '', nodeHttpAddress } of [...answer.allocations, ...untold]) {
          open.delete(askId);
          known.add(containerId);
          found.push({ containerId, askId, nodeHttpAddress });
        }
        completed.push(...answer.completed);
      };
      const hearAnswer = (answer: Pick<AllocateAnswer, 'allocations' | 'completed'>) => {
        hear(answer);
        heardEnds = answer.completed.map(({ containerId }) => containerId);
      };
      let request: ProtocolRequest = {
        responseId,
        progress,
        asks: [...asks],
        cancels: [...cancels],
        releases: [...releases],
        notes: [...notes],
      };
      for (;;) {
        const answer = await client.allocate(request, waitMs);
        if (answer.command === 'resync') {
          const { runningContainers, instances: wanted } = await register({ heardEnds: [...heardEnds] });
          instances = wanted ?? instances;
          // What was given while no call got through runs already, or is over: that is heard before anything is asked for again.
          const strangers = runningContainers.filter(({ containerId }) => !known.has(containerId));
          hear({ allocations: strangers.filter(({ askId }) => open.has(askId)), completed: [] });
          const lost = strangers.filter(({ containerId }) => !known.has(containerId)).map(({ containerId }) => containerId);
          const first = await client.allocate(
            { responseId, progress, asks: [], cancels: [], releases: [...releases, ...lost], notes: [...notes] },
            0,
          );
          request = { responseId, progress, asks: [], cancels: [], releases: [] };
          if (first.command === 'resync') continue;
          hearAnswer(first);
          instances = first.instances ?? instances;
          responseId = first.responseId;
          request = { responseId, progress, asks: [...open.values()], cancels: [], releases: [] };
          // What was heard is told before the next wait.
          if (found.length > 0 || completed.length > 0 || instances !== undefined) waitMs = 0;
          continue;
        }
        responseId = answer.responseId;
        hearAnswer(answer);
        const { rejected } = answer;
        for (const { askId } of rejected ?? []) open.delete(askId);
        instances = answer.instances ?? instances;
        return {
          allocations: found,
          completed,
          ...(rejected ? { rejected } : {}),
          ...(instances === undefined ? {} : { instances }),
          ...(answer.command === 'shutdown' ? { command: 'shutdown' as const } : {}),
        };
      }
    },
    finish: (request) => client.finish(request),
  };
}
