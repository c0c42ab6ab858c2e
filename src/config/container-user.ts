// As whom containers run: as the node manager's own user, or as another that only root can switch to.
import { acceptedAddresses } from './accepted-addresses.ts';
import { callersProve } from './exposure.ts';
import type { Configuration } from './load.ts';
import { engineSettings } from './settings/engines.ts';
import { heddleSettings } from './settings/heddle.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { ConfigurationError } from './table.ts';

/** Whether who proves nothing may submit from elsewhere: addresses beyond loopback were accepted without authentication. */
export const strangersMaySubmit = (configuration: Configuration): boolean =>
  acceptedAddresses(configuration).length > 0 && !callersProve('resource-manager', configuration);

/**
 * Whether containers run as another user than the node manager. Strangers' containers do, unless a setting says otherwise.
 * @throws ConfigurationError where they are to and cannot, because the node manager is not root
 */
export function switchesUsers(configuration: Configuration, isRoot = process.getuid?.() === 0): boolean {
  const { switchUsers } = configuration.values(engineSettings);
  const refuse = (key: string, problem: string, remedy: string): ConfigurationError =>
    new ConfigurationError(configuration.origin(key)?.source ?? 'node-manager', key, problem, remedy);
  if (switchUsers === 'false') return false;
  if (switchUsers === 'true') {
    if (isRoot) return true;
    throw refuse(
      engineSettings.switchUsers.key,
      'a node manager that is not root cannot switch users',
      'Start it as root, or leave the setting away.',
    );
  }
  if (strangersMaySubmit(configuration)) {
    if (isRoot) return true;
    throw refuse(
      heddleSettings.allowUnauthenticated.key,
      "containers of callers who prove nothing would run as this node manager's own user, who reads the secrets of the cluster",
      `Start the node manager as root, so that they run as a user without rights, or accept it with ${engineSettings.switchUsers.key}=false.`,
    );
  }
  return isRoot && configuration.values(nodeManagerSettings).executorClass.endsWith('.LinuxContainerExecutor');
}

/** Whether containers run as root and are confined: this process is root, switches no users, and no setting asks for root itself. */
export const confinesRoot = (configuration: Configuration, isRoot = process.getuid?.() === 0): boolean =>
  isRoot && configuration.values(engineSettings).rootContainers === 'confined' && !switchesUsers(configuration, isRoot);
