// What a node offers to containers: what its settings say, until the resource manager gives it another size.
import { configuredSize } from '../config/node-size.ts';
import type { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { ConfigurationError, type SettingsOf } from '../config/table.ts';
import { convertUnits, isUnit, knownUnits, parseAmount } from '../model/units.ts';
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

/**
 * What the settings say the node has, further resource types included. `typeUnits`: `NAME.units` → unit of a further resource type
 * (yarn.resource-types.NAME.units). @throws ConfigurationError for an amount that is none
 */
export function configuredResource(settings: SettingsOf<typeof nodeManagerSettings>, typeUnits: ReadonlyMap<string, string>): NodeResource {
  const further = [...settings.resources].map(([name, value]) => {
    const given = parseAmount(value);
    if (!given)
      throw new ConfigurationError(
        'the settings of the node manager',
        `yarn.nodemanager.resource-type.${name}`,
        `${value} is no amount`,
        `Write a whole number, with a unit where wanted: one of ${knownUnits.join(' ')}.`,
      );
    const units = typeUnits.get(`${name}.units`) ?? '';
    return [name, isUnit(units) ? convertUnits(given.amount, given.unit, units) : given.amount] as const;
  });
  return { ...configuredSize(settings), ...Object.fromEntries(further) };
}
