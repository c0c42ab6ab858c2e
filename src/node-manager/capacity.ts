// What a node offers to containers: what its settings say, until the resource manager gives it another size.
import type { Configuration } from '../config/load.ts';
import { furtherAmounts } from '../config/node-amounts.ts';
import { configuredSize } from '../config/node-size.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import type { NodeResource } from '../wire/cluster/container-messages.ts';

/** The amounts that the node offers now. Only the connection to the resource manager changes them. */
export class NodeCapacity {
  #current: NodeResource;

  constructor(configured: NodeResource) {
    this.#current = configured;
  }

  get current(): NodeResource {
    return this.#current;
  }

  /** The resource manager gave the node another size. */
  change(resource: NodeResource): void {
    this.#current = resource;
  }
}

/** What the settings say the node has, further resource types included. @throws ConfigurationError for an amount that is none */
export const configuredResource = (configuration: Configuration): NodeResource => ({
  ...configuredSize(configuration.values(nodeManagerSettings)),
  ...Object.fromEntries(furtherAmounts(configuration)),
});
