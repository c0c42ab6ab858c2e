// What is less safe than it could be about a start, each in one sentence: said loudly at every start, and by `heddle doctor`.
import { existsSync } from 'node:fs';
import { fileText } from '../lib/file-text.ts';
import { confinesRoot, switchesUsers } from './container-user.ts';
import { acceptedExposure, callersProve, type ListeningAddress } from './exposure.ts';
import type { Configuration } from './load.ts';
import { engineSettings } from './settings/engines.ts';
import { heddleSettings } from './settings/heddle.ts';

/** What the risks of a start depend on besides the settings. */
export interface Surroundings {
  readonly isRoot: boolean;
  /** Whether the system tells whose a connection is. */
  readonly knowsLocalUsers: boolean;
  /** Whether this process may mount (CAP_SYS_ADMIN). */
  readonly mayMount: boolean;
}

/** A risk, and how it is ended. */
export interface Risk {
  readonly what: string;
  readonly remedy: string;
}

/** Those of this process. */
export const ownSurroundings = (): Surroundings => ({
  isRoot: process.getuid?.() === 0,
  knowsLocalUsers: existsSync('/proc/self/net/tcp'),
  mayMount: ((BigInt(`0x${/^CapEff:\s*(\S+)$/m.exec(fileText('/proc/self/status'))?.[1] ?? '0'}`) >> 21n) & 1n) === 1n,
});

/** The risks of starting the roles with these settings. @throws ConfigurationError for settings with which they do not start */
export function risksOf(roles: readonly string[], configuration: Configuration, surroundings = ownSurroundings()): Risk[] {
  const risks: Risk[] = [];
  const add = (what: string, remedy: string): void => void risks.push({ what, remedy });
  for (const address of roles.flatMap((role) => acceptedExposure(role, configuration)))
    add(
      `others reach ${written(address)} (${address.key}) and need not prove who they are: they can run programs on the nodes`,
      `Configure authentication, or listen on loopback and take the address out of ${heddleSettings.allowUnauthenticated.key}.`,
    );
  const isOpen = configuration.values(heddleSettings).trustedLocalUsers.includes('*');
  const believes = roles.some((role) => !callersProve(role, configuration));
  if (believes && isOpen)
    add(
      'every user of this machine is served, whatever name they give: each can run programs with the rights that containers have',
      `Configure authentication, or start without --open and ${heddleSettings.trustedLocalUsers.key}=*.`,
    );
  else if (believes && !surroundings.knowsLocalUsers)
    add(
      'this system does not tell whose a connection over loopback is, so every user of this machine is served, whatever name they give',
      'Configure authentication, or let nobody else log in here.',
    );
  const runsContainers = roles.includes('node-manager');
  const isSwitching = runsContainers && switchesUsers(configuration, surroundings.isRoot);
  if (surroundings.isRoot && runsContainers && !isSwitching) {
    const { localUser } = configuration.values(engineSettings);
    const inPlace = surroundings.mayMount
      ? "they have no capabilities and cannot write in the system's folders, but can end root's processes and leave files of root's"
      : 'they have no capabilities, but this system lets root mount nothing, so they read and write all files of root, the secrets of the cluster too';
    add(
      confinesRoot(configuration, surroundings.isRoot)
        ? `this is root, and containers run as root, though confined: ${inPlace}`
        : `this is root, and containers run as root, as ${engineSettings.rootContainers.key}=root asks: whoever may submit can do everything on this machine`,
      `Start as another user, or let containers run as ${localUser} with ${engineSettings.switchUsers.key}=true: that user has to be able to enter the folders above --data and to reach what jobs read and write.`,
    );
  }
  if (surroundings.isRoot && !runsContainers) add('this is root, which it need not be', 'Start as another user.');
  if (isSwitching && believes && !configuration.values(engineSettings).limitUsers)
    add(
      'callers who prove nothing choose the user of this machine as whom their containers run',
      `Configure authentication, or leave ${engineSettings.limitUsers.key} at true.`,
    );
  return risks;
}

const written = ({ host, port }: ListeningAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === 0 ? ' on any port' : `:${port}`}`;
