// How many containers of an application run, wait and ended in which way. Pure.
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { count } from './amounts.ts';
import type { Kind } from './states.ts';

/** So many of one kind; `word` is the verb: `2 wait`. */
export interface ContainerCount {
  readonly kind: Kind;
  readonly number: number;
  readonly word: string;
}

type Counted = Pick<PlainApplication, 'runningContainers' | 'pendingContainers' | 'endedContainers'>;

/** Those of which there are any, in the order of a container's life; undefined: the caller may not view them. */
export function containerCountsOf({ runningContainers, pendingContainers, endedContainers }: Counted): ContainerCount[] | undefined {
  if (runningContainers === undefined) return undefined;
  const all: readonly ContainerCount[] = [
    { kind: 'waiting', number: pendingContainers ?? 0, word: 'asked for' },
    { kind: 'running', number: runningContainers, word: 'there' },
    { kind: 'good', number: endedContainers?.succeeded ?? 0, word: 'succeeded' },
    { kind: 'bad', number: endedContainers?.failed ?? 0, word: 'failed' },
    { kind: 'stopped', number: endedContainers?.stopped ?? 0, word: 'stopped' },
  ];
  return all.filter(({ number }) => number > 0);
}

/** `5 there, 1 failed`. */
export const containerCountsInWords = (counts: readonly ContainerCount[]): string =>
  counts.length === 0 ? 'none' : counts.map(({ number, word }) => `${count(number)} ${word}`).join(', ');
