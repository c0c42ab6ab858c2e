// Keeps secrets of the cluster from containers that run as the node manager's own user: their launcher lives in a user and a mount namespace of
// its own (user_namespaces(7)), where files and folders with secrets are covered, and from where processes outside, the servers among
// them, can be signalled but not read: neither memory nor environment, nor what their file descriptors lead to.
import { spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { readStat } from '../../lib/process-stat.ts';

/**
 * The descriptor by which launcher and keepers hold the outer user namespace, where no process stays: only from there its mounts can be
 * entered (setns(2)). It gives nobody a right; containers do not have it all the same.
 */
export const outerNamespace = 9;

/** A piece of script: covers each path that it is given up to `--`, a folder by an empty one, a file by nothing. */
export const coverEach = `while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o mode=700,size=4k tmpfs "$1" || exit
  elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit
  fi
  shift
done
shift`;

/**
 * Covers the paths, then goes on as the user it was, without capabilities: what the outer
 * namespace has mounted, the inner one cannot take away. Outside, new mounts still come in.
 */
const script = `user=$1 group=$2
shift 2
${coverEach}
exec ${outerNamespace}</proc/self/ns/user
exec unshare --user --map-user="$user" --map-group="$group" -- "$@"`;

const enter = ['unshare', '--user', '--map-root-user', '--mount', '--propagation', 'slave', '--', 'sh', '-c', script, 'sh'];

/** The command line before that of what is not to see the paths. */
export const concealing = (paths: readonly string[]): string[] => [
  ...enter,
  ...[process.geteuid?.() ?? 0, process.getegid?.() ?? 0].map(String),
  ...paths,
  '--',
];

/**
 * The command line before that of what is to see what a container sees, whose leader is `pid`: as the user it was, without capabilities.
 * Empty for a container that is in no namespace of its own. @throws Error when the way in is lost
 */
export function entering(pid: number): string[] {
  const namespaceOf = (of: number | 'self') => readlinkSync(`/proc/${of}/ns/user`);
  if (namespaceOf(pid) === namespaceOf('self')) return [];
  const keeper = readStat(pid)?.parentPid;
  const outer = `/proc/${keeper}/fd/${outerNamespace}`;
  if (keeper === undefined || keeper <= 1 || !existsSync(outer))
    throw new Error('its namespaces cannot be entered: its keeper is gone, or is one of an earlier version');
  return [
    ...['nsenter', '--preserve-credentials', `--user=${outer}`, `--mount=/proc/${pid}/ns/mnt`, '--'],
    ...['nsenter', '--preserve-credentials', `--user=/proc/${pid}/ns/user`, '--'],
  ];
}

/** Why this system does not let this user conceal anything; undefined: it does. */
export function whyNotConcealed(): string | undefined {
  const [program = '', ...words] = [...concealing([]), 'true'];
  const { status, error, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: 10_000 });
  if (error) return error.message;
  return status === 0 ? undefined : stderr.trim() || `unshare ended with ${status}`;
}
