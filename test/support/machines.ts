import { execFileSync } from 'node:child_process';

/** Machines that are none: network namespaces on one switch, each with an address of its own. */
export interface Machines extends Disposable {
  /** Address of each, in the order of their names. */
  readonly addresses: readonly string[];
  /** The command line that runs something on one of them. */
  command(index: number, ...command: readonly string[]): readonly [string, readonly string[]];
  /** Pulls the cable of one, or puts it back. */
  setCable(index: number, plugged: boolean): void;
}

const quiet = { stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'] };

/** Makes them, or says why that is not possible here. Everything is removed by disposing, and when making fails half-way. */
export function makeMachines(count: number): Machines | { readonly reason: string } {
  if (process.getuid?.() !== 0) return { reason: 'network namespaces need root' };
  try {
    execFileSync('ip', ['-V'], quiet);
  } catch {
    try {
      execFileSync('apt-get', ['install', '-y', '-q', 'iproute2'], { ...quiet, timeout: 120_000 });
    } catch (error) {
      return { reason: `iproute2 is missing and cannot be installed: ${firstLine(error)}` };
    }
  }
  const prefix = `heddle${process.pid}`;
  const names = ['s', ...Array.from({ length: count }, (_, index) => String(index))].map((suffix) => `${prefix}-${suffix}`);
  const made: string[] = [];
  const ip = (...parameters: string[]) => execFileSync('ip', parameters, quiet);
  const inside = (name: string, ...parameters: string[]) => ip('-n', name, ...parameters);
  const remove = () => {
    for (const name of made.splice(0).reverse()) {
      try {
        ip('netns', 'delete', name);
      } catch {
        // Its links went with the others.
      }
    }
  };
  try {
    for (const name of names) {
      ip('netns', 'add', name);
      made.push(name);
    }
    const [hub = '', ...machines] = names;
    inside(hub, 'link', 'add', 'switch', 'type', 'bridge');
    inside(hub, 'link', 'set', 'switch', 'up');
    for (const [index, name] of machines.entries()) {
      inside(hub, 'link', 'add', `port${index}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      inside(hub, 'link', 'set', `port${index}`, 'master', 'switch', 'up');
      inside(name, 'address', 'add', `${addressOf(index)}/24`, 'dev', 'eth0');
      inside(name, 'link', 'set', 'lo', 'up');
      inside(name, 'link', 'set', 'eth0', 'up');
    }
    return {
      addresses: machines.map((_, index) => addressOf(index)),
      command: (index, ...command) => ['ip', ['netns', 'exec', machines[index]!, ...command]],
      setCable: (index, plugged) => inside(hub, 'link', 'set', `port${index}`, plugged ? 'up' : 'down'),
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    return { reason: `network namespaces cannot be made: ${firstLine(error)}` };
  }
}

/** Addresses for documentation, which no real network has. */
const addressOf = (index: number) => `192.0.2.${index + 1}`;

const firstLine = (error: unknown): string => {
  const { stderr, message } = error as { stderr?: Buffer; message: string };
  return String(stderr?.toString().trim() || message).split('\n')[0]!;
};
