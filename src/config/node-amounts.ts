// Amounts of further resource types that a node has, as its settings say.
import { convertUnits, isUnit, knownUnits, parseAmount } from '../model/units.ts';
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { commonSettings } from './settings/common.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';

/** By name of the type, in the unit that the cluster counts it in. @throws ConfigurationError for an amount that is none */
export function furtherAmounts(configuration: Configuration): ReadonlyMap<string, number> {
  const { resources } = configuration.values(nodeManagerSettings);
  const { resourceTypeSettings } = configuration.values(commonSettings);
  return new Map(
    [...resources].map(([name, value]) => {
      const given = parseAmount(value);
      if (!given)
        throw settingFault(
          configuration,
          `${nodeManagerSettings.resources.key}${name}`,
          `${value} is no amount`,
          `Write a whole number, with a unit where wanted: one of ${knownUnits.join(' ')}.`,
        );
      const units = resourceTypeSettings.get(`${name}.units`) ?? '';
      return [name, isUnit(units) ? convertUnits(given.amount, given.unit, units) : given.amount] as const;
    }),
  );
}
