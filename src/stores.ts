// The stores of a cluster on this machine: where each lies and of which kind it is. Loaded for `heddle doctor` alone.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { StoreToExamine } from './cli/host.ts';
import type { Configuration } from './config/load.ts';
import { nodeManagerSettings } from './config/settings/node-manager.ts';
import { nodeStore } from './node-manager/store/node-store.ts';
import { resourceManagerStore } from './resource-manager/start/store-kind.ts';
import { examineStore } from './storage/store-examination.ts';
import type { StoreKind } from './storage/store-kind.ts';
import { repairStore } from './storage/store-repair.ts';
import { timelineStore } from './timeline/store/store-kind.ts';

/** Every store that the settings lead to, those of further nodes of `heddle up --nodes` too. */
export function storesOf(configuration: Configuration): StoreToExamine[] {
  const { dataDir } = configuration;
  return [
    store(resourceManagerStore, join(dataDir, 'resource-manager', 'state.sqlite')),
    store(timelineStore, join(dataDir, 'timeline', 'timeline.sqlite')),
    ...nodeFolders(configuration.values(nodeManagerSettings).recoveryDirectory).map((folder) =>
      store(nodeStore, join(folder, 'node.sqlite')),
    ),
  ];
}

const store = (kind: StoreKind, path: string): StoreToExamine => ({
  name: kind.name,
  path,
  examine: () => examineStore(kind, path),
  repair: (stamp) => repairStore(kind, path, stamp),
});

/** The recovery folder, and those beside it that further nodes have. */
function nodeFolders(folder: string): string[] {
  const name = basename(folder);
  let beside: string[] = [];
  try {
    beside = readdirSync(dirname(folder)).filter((other) => other.startsWith(`${name}-`) && /^\d+$/.test(other.slice(name.length + 1)));
  } catch {
    // No node has ever run here.
  }
  return [folder, ...beside.sort().map((other) => join(dirname(folder), other))];
}
