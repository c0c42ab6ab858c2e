// Commands that talk to a running cluster or look at settings: which there are, and which file registers them.
import type { Command } from 'commander';
import type { RoleHost } from './host.ts';

/** Commands that one file registers. */
interface Family {
  /** Their first words. */
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command, host: RoleHost) => void>;
}

/** In the order in which help lists them. Each loads what it needs by itself: all of them together are five hundred modules. */
const families: readonly Family[] = [
  { names: ['down', 'status'], load: async () => (await import('./service.ts')).addService },
  { names: ['run'], load: async () => (await import('./run.ts')).addRun },
  { names: ['batch'], load: async () => (await import('./batch.ts')).addBatch },
  { names: ['app'], load: async () => (await import('./app.ts')).addApp },
  { names: ['schedule'], load: async () => (await import('./schedule.ts')).addSchedule },
  { names: ['container'], load: async () => (await import('./container.ts')).addContainer },
  { names: ['events'], load: async () => (await import('./events.ts')).addEvents },
  { names: ['job'], load: async () => (await import('./job.ts')).addJob },
  { names: ['node'], load: async () => (await import('./node.ts')).addNode },
  { names: ['label'], load: async () => (await import('./label.ts')).addLabel },
  { names: ['queue'], load: async () => (await import('./queue.ts')).addQueue },
  { names: ['reservation'], load: async () => (await import('./reservation.ts')).addReservation },
  { names: ['user'], load: async () => (await import('./user.ts')).addUser },
  { names: ['cluster', 'top'], load: async () => (await import('./cluster.ts')).addCluster },
  { names: ['server'], load: async () => (await import('./server.ts')).addServer },
  { names: ['admin'], load: async () => (await import('./admin.ts')).addAdmin },
  { names: ['timeline'], load: async () => (await import('./timeline.ts')).addTimeline },
  { names: ['secret'], load: async () => (await import('./secret.ts')).addSecret },
  { names: ['token'], load: async () => (await import('./token.ts')).addToken },
  { names: ['webhook'], load: async () => (await import('./webhook.ts')).addWebhook },
  { names: ['simulate'], load: async () => (await import('./simulate.ts')).addSimulate },
  { names: ['context'], load: async () => (await import('./context.ts')).addContext },
  { names: ['config'], load: async () => (await import('./config.ts')).addConfig },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctor },
  { names: ['backup', 'restore'], load: async () => (await import('./backup.ts')).addBackup },
  { names: ['completion'], load: async () => (await import('./completion.ts')).addCompletion },
  { names: ['complete'], load: async () => (await import('./completion-words.ts')).addComplete },
];

/** Asked about every command, or about none that there is: nothing can be left out. */
const asksForAll: ReadonlySet<string | undefined> = new Set([undefined, 'completion']);

/** Those that the words name: all of them where the first names none. What completes words looks at the command that these name. */
function familiesOf([first, ...others]: readonly string[]): readonly Family[] {
  const familyOf = (word: string | undefined) => families.filter(({ names }) => names.some((name) => name === word));
  const named = asksForAll.has(first) ? [] : familyOf(first);
  if (named.length === 0) return families;
  return first === 'complete' ? [...familyOf(others.find((word) => !word.startsWith('-'))), ...named] : named;
}

/** Registers the commands that these words may mean. */
export async function addClientCommands(program: Command, host: RoleHost, args: readonly string[]): Promise<void> {
  const registers = await Promise.all(familiesOf(args).map(({ load }) => load()));
  for (const register of registers) register(program, host);
}
