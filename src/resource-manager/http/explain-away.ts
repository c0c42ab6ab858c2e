// What an application waits for when everything that it asked for was given to it: containers on nodes that are away.
import type { Application } from '../applications/application.ts';
import { currentAttempt } from '../applications/application.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';

/** What is read of the cluster. */
export type AwayView = Pick<ClusterView, 'expected' | 'node'>;

/** Whom an application waits for, as a sentence with its remedy. */
export interface Away {
  readonly sentence: string;
  readonly remedy: string;
}

const mostNamed = 5;

/** Containers of the application on nodes whose connection is gone, or that have not come back since the resource manager started; undefined: none. */
export function awayOf(view: AwayView, application: Application, nodeExpiryMs: number): Away | undefined {
  const lostConnection = new Map<string, number>();
  let isMasterAway = false;
  const master = currentAttempt(application)?.masterContainerId;
  const count = (nodes: Map<string, number>, nodeId: string, containerId: string): void => {
    nodes.set(nodeId, (nodes.get(nodeId) ?? 0) + 1);
    if (containerId === master) isMasterAway = true;
  };
  for (const { containers } of application.attempts)
    for (const { id, nodeId } of containers.values()) if (view.node(nodeId)?.connected === false) count(lostConnection, nodeId, id);
  const expected = new Map<string, number>();
  for (const { id, nodeId } of view.expected(application)) count(expected, nodeId, id);
  if (lostConnection.size + expected.size === 0) return undefined;
  const parts = [
    ...(lostConnection.size > 0 ? [`${wordsOf(lostConnection)}, whose connection is gone`] : []),
    ...(expected.size > 0 ? [`${wordsOf(expected)}, not heard of since the resource manager was started again`] : []),
  ];
  return {
    sentence: `It waits for ${isMasterAway ? 'its master among ' : ''}${parts.join(', and ')}.`,
    remedy: `Start the node managers again, or mend the network; a node that stays away for ${Math.round(nodeExpiryMs / 1000)} s is lost, and the master is told the end of its containers.`,
  };
}

function wordsOf(nodes: ReadonlyMap<string, number>): string {
  const total = [...nodes.values()].reduce((sum, count) => sum + count, 0);
  const named = [...nodes.keys()].slice(0, mostNamed).join(', ');
  const more = nodes.size > mostNamed ? ` and ${nodes.size - mostNamed} more` : '';
  return `${total} ${total === 1 ? 'container' : 'containers'} on ${named}${more}`;
}
