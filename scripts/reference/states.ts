import { attemptTransitions as taskAttemptTransitions } from '../../src/batch/application-master/attempt-states.ts';
import { jobTransitions } from '../../src/batch/application-master/job-states.ts';
import { taskTransitions } from '../../src/batch/application-master/task-states.ts';
import type { TransitionTable } from '../../src/lib/state-machine.ts';
import { applicationTable } from '../../src/node-manager/applications/application-states.ts';
import { containerTable } from '../../src/node-manager/containers/container-states.ts';
import { applicationTransitions } from '../../src/resource-manager/applications/application-states.ts';
import { attemptTransitions } from '../../src/resource-manager/applications/attempt-states.ts';
import { containerTransitions } from '../../src/resource-manager/applications/container-states.ts';
import { nodeTransitions } from '../../src/resource-manager/nodes/node-states.ts';
import { pageHead } from './markdown.ts';

const machines: readonly [title: string, table: TransitionTable<string, string>][] = [
  ['Application (resource manager)', applicationTransitions],
  ['Attempt (resource manager)', attemptTransitions],
  ['Container (resource manager)', containerTransitions],
  ['Node (resource manager)', nodeTransitions],
  ['Application (node manager)', applicationTable as TransitionTable<string, string>],
  ['Container (node manager)', containerTable as TransitionTable<string, string>],
  ['Job (batch master)', jobTransitions],
  ['Task (batch master)', taskTransitions],
  ['Task attempt (batch master)', taskAttemptTransitions],
];

/** A Mermaid diagram of a table; events between the same two states share an arrow. */
export function diagram(table: TransitionTable<string, string>): string {
  const arrows = new Map<string, string[]>();
  for (const [from, events] of Object.entries(table)) {
    for (const [event, to] of Object.entries(events)) {
      const arrow = `${from} --> ${to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), event]);
    }
  }
  const first = Object.keys(table)[0];
  const ends = Object.entries(table).filter(([, events]) => Object.keys(events).length === 0);
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${first}`,
    ...[...arrows].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
    ...ends.map(([state]) => `  ${state} --> [*]`),
    '```',
    '',
  ].join('\n');
}

/** The state machines, drawn. */
export function statesPage(): string {
  const parts = [
    pageHead(
      'States',
      'What can happen to what, drawn from the transition tables. An event that leads nowhere from a state changes nothing there.',
    ),
  ];
  for (const [title, table] of machines) parts.push(`## ${title}\n`, diagram(table));
  return parts.join('\n');
}
