// What doors, views and commands see of the cluster's state: they read it here and change it only by the methods of `Cluster`.

import type { ClusterView } from './cluster-view.ts';
import type { Effects } from './effects.ts';
import type { ExpectedContainers } from './expected-containers.ts';
import type { ClusterState } from './state.ts';
import type { WaitingTexts } from './waiting-texts.ts';

/** Reading access to the state, with what the scheduler says of applications that wait. */
export function viewOf(
  state: ClusterState,
  effects: Pick<Effects, 'changes'>,
  texts: WaitingTexts,
  expected: Pick<ExpectedContainers, 'of'>,
): ClusterView {
  return {
    application: (id) => state.application(id),
    applications: () => state.applications(),
    get applicationCount() {
      return state.applicationCount;
    },
    applicationsBy: state.applicationsBy,
    submissionRoom: state.submissionRoom,
    isWaiting: (application) => state.isWaiting(application),
    waitingText: (application, ageMs) => texts.of(application, ageMs),
    submission: (applicationId) => state.submission(applicationId),
    ending: (applicationId) => state.ending(applicationId),
    attempt: (id) => state.attempt(id),
    container: (id) => state.container(id),
    containers: () => state.containers(),
    get containerCount() {
      return state.containerCount;
    },
    expected: (application) => expected.of(application).map(({ container }) => container),
    node: (id) => state.node(id),
    nodes: () => state.nodes(),
    get nodeCount() {
      return state.nodeCount;
    },
    nodeTotals: state.nodeTotals,
    get changes() {
      return effects.changes;
    },
  };
}
