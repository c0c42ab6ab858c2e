// How the cluster's writes become writes of the store.
import type { Application, FinalTarget } from '../applications/application.ts';
import type { Fragments, ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { Write } from './effects.ts';

/** What of the store the cluster writes. */
export type WritableStore = Pick<
  ResourceManagerStore,
  | 'putLive'
  | 'dropRefused'
  | 'putFinished'
  | 'addNotes'
  | 'putContainer'
  | 'changeContainer'
  | 'putEndsTold'
  | 'dropContainers'
  | 'nodeOrders'
  | 'trimFinished'
  | 'putOpportunisticTotals'
>;

/** Renders an ended application for lists; undefined where nothing is rendered. */
export type Render = (application: Application) => Fragments | undefined;

/** The end itself is durable: nobody waits for what became known since. */
const endedPatienceMs = 50;

/**
 * Begins writes on the store; each resolves when it is durable. An end counts as told once what observers heard of it is kept: in the same turn
 * as this write, or before. Where that is not so (`isToldKept`), the next process tells it again (docs/protocol.md, P12).
 */
export function writesOn(store: WritableStore, render: Render, isToldKept: () => boolean = () => true): (write: Write) => Promise<void> {
  const begin = (write: Write): Promise<void> => {
    switch (write.kind) {
      case 'live':
        return store.putLive(write.application, write.key);
      case 'refusedSubmissions':
        return store.dropRefused(write.applicationIds);
      case 'end': {
        const shown = shownAfter(write.application, write.target);
        return store.putFinished(shown, render(shown), false);
      }
      case 'ended':
        return store.putFinished(write.application, render(write.application), isToldKept(), endedPatienceMs);
      case 'notes':
        return store.addNotes(write.applicationId, write.notes);
      case 'container':
        return store.putContainer(write.container);
      case 'containerChanged':
        return store.changeContainer(write.container, write.application);
      case 'endsTold':
        return store.putEndsTold(write.application, write.containerIds, write.toldIn);
      case 'containersHeard':
        return store.dropContainers(write.applicationId, write.application, write.containerIds);
      case 'leavingNode':
        return store.nodeOrders.putLeavingNode(write.node);
      case 'stayingNode':
        return store.nodeOrders.dropLeavingNode(write.nodeId);
      case 'nodeSize':
        return store.nodeOrders.putNodeSize(write.nodeId, write.resource);
      case 'opportunisticCounts':
        return store.putOpportunisticTotals(write.counts);
      case 'trim':
        return store.trimFinished(write.beforeMs, write.count);
    }
  };
  return (write) => {
    try {
      return begin(write);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** The application as it will be shown when nothing more is heard after its end. */
function shownAfter(application: Application, target: FinalTarget): Application {
  const state = target === 'FINISHING' ? 'FINISHED' : target;
  const attempts = application.attempts.map((attempt) => (attempt.state === 'FINAL_SAVING' ? { ...attempt, state } : attempt));
  return { ...application, state, attempts, scheduled: false };
}
