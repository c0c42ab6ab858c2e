import { spawnSync } from 'node:child_process';

/**
 * The command prefix that runs a shell text in a network and process space of its own, so that every run has YARN's own
 * ports for itself and leaves no process; undefined where the system does not allow it.
 */
export function isolation(): string[] | undefined {
  const spaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  for (const prefix of [
    ['unshare', ...spaces],
    ['unshare', '--user', '--map-root-user', ...spaces],
  ]) {
    const [command = '', ...args] = prefix;
    const probe = spawnSync(command, [...args, 'bash', '-c', 'ip link set lo up'], { stdio: 'ignore' });
    if (probe.status === 0) return prefix;
  }
  return undefined;
}
