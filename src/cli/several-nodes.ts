// `heddle up --nodes N`: the settings of each node manager on one machine. The first is the one that the settings describe; the others
// have names, ports and folders of their own. Together they offer what one alone would, unless the settings say what each offers.
import type { Configuration } from '../config/load.ts';
import { configuredSize } from '../config/node-size.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { shuffleSettings } from '../config/settings/shuffle.ts';
import type { PortBook } from './free-ports.ts';
import { isSizeLeftOpen, sizeOfNode, smallestMiB } from './node-size.ts';

/** One node manager: its name in the cluster's file and its settings over those of the whole cluster. */
export interface NodePlan {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Between the ports of one node and those of the next, where they are not free ones. */
const portStep = 100;

/** The nodes; with `book` on free ports, otherwise on those of the settings and 100, 200, … above them. */
export async function planNodes(configuration: Configuration, count: number, book: PortBook | undefined): Promise<NodePlan[]> {
  const isOpen = isSizeLeftOpen(configuration);
  const shares = isOpen ? sizeOfNode(configuration, count) : count === 1 ? {} : resourceShares(configuration, count);
  const plans: NodePlan[] = [{ name: 'node-manager', settings: shares }];
  for (let number = 2; number <= count; number++) {
    const name = `node-manager-${number}`;
    const ports = await book?.take([...addressKeys, shuffleSettings.port].map(({ key }) => `${name} ${key}`));
    plans.push({ name, settings: { ...shares, ...ownSettings(configuration, number, ports) } });
  }
  return plans;
}

const { webAddress, webHttpsAddress, address, localizerAddress } = nodeManagerSettings;
const addressKeys = [webAddress, webHttpsAddress, address, localizerAddress];

function ownSettings(configuration: Configuration, number: number, ports: readonly number[] | undefined): Record<string, string> {
  const values = configuration.values(nodeManagerSettings);
  const beside = (path: string) => `${path}-${number}`;
  const shift = (port: number) => (port === 0 ? 0 : port + portStep * (number - 1));
  const settings: Record<string, string> = {
    [nodeManagerSettings.localDirectories.key]: values.localDirectories.map(beside).join(','),
    [nodeManagerSettings.logDirectories.key]: values.logDirectories.map(beside).join(','),
    [nodeManagerSettings.recoveryDirectory.key]: beside(values.recoveryDirectory),
    [shuffleSettings.port.key]: String(ports?.at(-1) ?? shift(configuration.values(shuffleSettings).port)),
  };
  for (const [index, text] of [values.webAddress, values.webHttpsAddress, values.address, values.localizerAddress].entries()) {
    const colon = text.lastIndexOf(':');
    settings[addressKeys[index]!.key] = `${text.slice(0, colon)}:${ports?.[index] ?? shift(Number(text.slice(colon + 1)))}`;
  }
  return settings;
}

function resourceShares(configuration: Configuration, count: number): Record<string, string> {
  const values = configuration.values(nodeManagerSettings);
  const whole = configuredSize(values);
  const settings: Record<string, string> = {};
  if (values.memoryMiB < 0)
    settings[nodeManagerSettings.memoryMiB.key] = String(Math.max(smallestMiB, Math.floor(whole.memoryMiB / count)));
  if (values.vcores < 0) settings[nodeManagerSettings.vcores.key] = String(Math.max(1, Math.floor(whole.vcores / count)));
  return settings;
}
