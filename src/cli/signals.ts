// Names of signals that users know, and what YARN calls them.
import { InvalidArgumentError } from 'commander';
import type { ContainerSignal } from '../client/application-changes.ts';

const signals: Readonly<Record<string, ContainerSignal>> = {
  TERM: 'GRACEFUL_SHUTDOWN',
  KILL: 'FORCEFUL_SHUTDOWN',
  QUIT: 'OUTPUT_THREAD_DUMP',
};

/** What the option says. */
export const signalText = 'TERM, KILL or QUIT (YARN: GRACEFUL_SHUTDOWN, FORCEFUL_SHUTDOWN, OUTPUT_THREAD_DUMP)';

/** A signal by either name, in any case. @throws InvalidArgumentError */
export function signalOf(text: string): ContainerSignal {
  const name = text.toUpperCase().replace(/^SIG/, '');
  const known = signals[name] ?? Object.values(signals).find((signal) => signal === name);
  if (known === undefined) throw new InvalidArgumentError(`Signals are ${signalText}.`);
  return known;
}
