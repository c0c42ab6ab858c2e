// The environment that a container's script set up, as its process has it.
import type { Clock } from '../../lib/clock.ts';
import type { ShellOrder } from '../engine.ts';
import { readEnvironment } from './leftovers.ts';

const pauseMs = 20;
const boundMs = 2000;

/**
 * Variables of the process that the container's script became; of that process as `find` knows it now. One that is about to execute its
 * command has not got them all: the awaited one tells. Rejects where it cannot be read.
 */
export async function launchEnvironment(
  find: () => number | undefined,
  { awaitedVariable }: Pick<ShellOrder, 'awaitedVariable'>,
  clock: Clock,
): Promise<Record<string, string>> {
  const startMs = clock.steadyMs();
  for (;;) {
    const pid = find();
    const variables = pid === undefined ? {} : parsed(readEnvironment(pid));
    const isComplete = awaitedVariable === undefined ? Object.keys(variables).length > 0 : variables[awaitedVariable] !== undefined;
    if (isComplete || clock.steadyMs() - startMs >= boundMs) {
      if (Object.keys(variables).length === 0) throw new Error('the environment of its process cannot be read');
      return variables;
    }
    await new Promise<void>((resolve) => clock.setTimer(pauseMs, resolve));
  }
}

/** Those that a shell can export. */
const parsed = (environment: string): Record<string, string> =>
  Object.fromEntries(
    environment.split('\0').flatMap((entry) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(entry) ?? [];
      return name === undefined ? [] : [[name, value!]];
    }),
  );
