// Takes from containers that run as root what root may do: their launcher has no capability (capabilities(7)) and gets none back, as its
// bounding set is empty, and lives in a mount namespace in which the system's own folders are read-only and secrets are covered.
// By its number it stays root: what that means stands in docs/operate/security.md.
import { readlinkSync } from 'node:fs';
import { bash } from '../../lib/bash.ts';
import { fileText } from '../../lib/file-text.ts';
import { coverEach } from './concealment.ts';
import { confinementScript } from './confinement-script.ts';

/** What confined containers find where. All paths are absolute, without links in them, and need not exist but for `stage`. */
export interface ConfinedPlaces {
  /** A folder that is covered itself, in which the other covers are built. */
  readonly stage: string;
  /** Folders that are covered by empty ones, and files by nothing. */
  readonly hidden: readonly string[];
  /** What stays of covered folders. */
  readonly kept: readonly string[];
  /** Beside the folders that are writable anyway: those in `/` that are not the system's own, `/var/tmp` and `/dev/shm`. */
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
}

/** Command lines that confine what stands behind them. */
export interface Confinement {
  /** Before the launcher. */
  readonly before: readonly string[];
  /** Before what reads files for containers: it sees nothing that is hidden from them, and has no more rights. */
  readonly reading: readonly string[];
  /** Before what is to be where a container is, whose leader is `pid`. */
  entering(pid: number): readonly string[];
}

const withoutCapabilities = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--clear-groups', '--'];

/** One that has none has nothing to lose, and may not say so. */
const losing = /^CapPrm:\t0+$[\s\S]*^CapBnd:\t0+$/m.test(fileText('/proc/self/status')) ? [] : withoutCapabilities;

/** Takes the capabilities away alone: what root owns stays in reach. */
export const withoutRights: Confinement = { before: losing, reading: losing, entering: () => losing };

const inOwnMounts = ['unshare', '--mount', '--propagation', 'slave', '--'];
const readingScript = `set -u
${coverEach}
exec ${withoutCapabilities.join(' ')} "$@"`;

/** Takes the capabilities away, and what root could do as the owner of the system's files. */
export function confinedTo({ stage, hidden, kept, writable, readOnly }: ConfinedPlaces): Confinement {
  // What lies above comes first: each differs from the nearest one above it.
  const grants = [...writable.map((path) => ['rw', path]), ...readOnly.map((path) => ['ro', path])].sort(
    ([, a], [, b]) => a!.length - b!.length,
  );
  const words = [
    ...grants.flat(),
    ...[...hidden].sort((a, b) => a.length - b.length).flatMap((path) => ['hide', path]),
    ...kept.flatMap((path) => ['keep', path]),
  ];
  return {
    before: [...inOwnMounts, ...bash, '-c', confinementScript, 'confine', stage, ...words, '--'],
    // In order of their length: what lies in a folder that is covered is not there any more.
    reading: [...inOwnMounts, '/bin/sh', '-c', readingScript, 'read', ...[...hidden, '/run'].sort((a, b) => a.length - b.length), '--'],
    entering(pid) {
      const namespaceOf = (of: number | 'self') => readlinkSync(`/proc/${of}/ns/mnt`);
      const way = namespaceOf(pid) === namespaceOf('self') ? [] : ['nsenter', `--mount=/proc/${pid}/ns/mnt`, '--'];
      return [...way, ...withoutCapabilities];
    },
  };
}

/** The command line before what is not to begin where it could not write in, or read, these places. It says which. */
export const needing = (mustWrite: readonly string[], mustRead: readonly string[]): string[] => [
  ...bash,
  '-c',
  `grep -q '^CapBnd:.0*$' /proc/self/status || { echo 'capabilities are left' >&2; exit 1; }
    while [ "$1" != -- ]; do [ -w "$1" ] || { echo "it could not write in $1" >&2; exit 1; }; shift; done; shift
    while [ "$1" != -- ]; do [ -r "$1" ] || { echo "it could not read $1" >&2; exit 1; }; shift; done; shift
    exec "$@"`,
  'needing',
  ...mustWrite,
  '--',
  ...mustRead,
  '--',
];
