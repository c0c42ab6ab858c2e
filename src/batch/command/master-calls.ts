// What the master of a command needs from the master protocol, and how it gets it: response numbers and restarts of the resource manager stay in here.
import type { MasterClient } from '../../client/master-client.ts';
import type { AllocateRequest as ProtocolRequest, RegisterRequest } from '../../wire/cluster/master-protocol.ts';

type Ask = NonNullable<ProtocolRequest['asks']>[number];

/** New asks, withdrawn ones, containers given back. */
export interface AllocateRequest {
  readonly progress: number;
  readonly asks: readonly Ask[];
  readonly cancels: readonly string[];
  readonly releases: readonly string[];
}

/** New containers and ended ones. */
export interface AllocateAnswer {
  readonly allocations: readonly { readonly containerId: string; readonly askId: string; readonly nodeHttpAddress: string }[];
  readonly completed: readonly { readonly containerId: string; readonly exitCode: number; readonly diagnostics: string }[];
  readonly command?: 'shutdown';
}

/** The calls; a repetition of a call that failed on the way is the implementation's business. */
export interface MasterCalls {
  register(request: RegisterRequest): Promise<{ readonly maximumResource: { readonly memoryMiB: number; readonly vcores: number } }>;
  /** Asks and waits up to `waitMs` for something to tell. Every ask is for one container. */
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

  return {
    register: (request) => {
      registration = request;
      return client.register(request);
    },
    async allocate({ progress, asks, cancels, releases }, waitMs) {
      for (const ask of asks) open.set(ask.askId, ask);
      for (const askId of cancels) open.delete(askId);
      let request: ProtocolRequest = { responseId, progress, asks: [...asks], cancels: [...cancels], releases: [...releases] };
      for (;;) {
        const answer = await client.allocate(request, waitMs);
        if (answer.command === 'resync') {
          const { runningContainers } = await client.register(registration);
          // Containers that were given while nobody could tell are given back: their asks are open still.
          const strangers = runningContainers.map(({ containerId }) => containerId).filter((containerId) => !known.has(containerId));
          responseId = 0;
          request = { responseId, progress, asks: [...open.values()], cancels: [], releases: [...releases, ...strangers] };
          continue;
        }
        responseId = answer.responseId;
        for (const { askId, containerId } of answer.allocations) {
          open.delete(askId);
          known.add(containerId);
        }
        return {
          allocations: answer.allocations,
          completed: answer.completed,
          ...(answer.command === 'shutdown' ? { command: 'shutdown' as const } : {}),
        };
      }
    },
    finish: (request) => client.finish(request),
  };
}
