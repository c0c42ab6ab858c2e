// GenericEventTypeMetrics: which events came to applications, attempts, nodes and the scheduler, and how long they took.
import type { Bean } from '../../http/jmx.ts';
import { type EventFigures, type EventReceiver, eventNames } from '../cluster/event-figures.ts';
import type { SchedulingFigures } from '../cluster/scheduling-figures.ts';

/** Java's names of the kinds of events, below `org.apache.hadoop.yarn.server.resourcemanager`. */
const javaNames: Readonly<Record<EventReceiver, string>> = {
  application: 'rmapp.RMAppEventType',
  attempt: 'rmapp.attempt.RMAppAttemptEventType',
  node: 'rmnode.RMNodeEventType',
  nodeList: 'NodesListManagerEventType',
  scheduler: 'scheduler.event.SchedulerEventType',
};

/** One bean for each kind. What nodes and masters say is counted by the scheduler's figures: a message is an event of the node, and one of the scheduler. */
export function eventBeans(host: string, events: EventFigures, { calls, nodeMessages }: SchedulingFigures): Bean[] {
  const said: Readonly<Record<string, SchedulingFigures['calls']>> = {
    'attempt STATUS_UPDATE': calls,
    'node STATUS_UPDATE': nodeMessages,
    'scheduler NODE_UPDATE': nodeMessages,
  };
  return (Object.keys(javaNames) as EventReceiver[]).map((receiver) => {
    const name = `GenericEventTypeMetrics for org.apache.hadoop.yarn.server.resourcemanager.${javaNames[receiver]}`;
    const attributes = eventNames[receiver].flatMap((event) => {
      const figure = said[`${receiver} ${event}`];
      const { count, totalMs } = figure ? { count: figure.count, totalMs: figure.count * figure.averageMs } : events.of(receiver, event);
      return [
        [`${event}_event_count`, count],
        [`${event}_processing_time`, Math.round(totalMs)],
      ];
    });
    return {
      name: `Hadoop:service=ResourceManager,name=${name}`,
      modelerType: name,
      attributes: { 'tag.Context': 'yarn', 'tag.Hostname': host, ...Object.fromEntries(attributes) },
    };
  });
}
