// The resource types of a cluster, as its settings name them.
import { longMaximum, type ResourceType, ResourceTypes } from '../model/resource.ts';
import { isUnit, knownUnits } from '../model/units.ts';
import type { Configuration } from './load.ts';
import { ConfigurationError } from './table.ts';

/** The registered resource types: memory and vcores, then those of `yarn.resource-types`. */
export function resourceTypes(configuration: Configuration): ResourceTypes {
  const names = (configuration.get('yarn.resource-types') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'memory-mb' && name !== 'vcores');
  for (const name of names) checkType(name, configuration.get(`yarn.resource-types.${name}.units`) ?? '');
  const number = (key: string, otherwise: number) => {
    const text = configuration.get(key);
    return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : otherwise;
  };
  return new ResourceTypes(
    names.map(
      (name): ResourceType => ({
        name,
        units: configuration.get(`yarn.resource-types.${name}.units`) ?? '',
        minimumAllocation: number(`yarn.resource-types.${name}.minimum-allocation`, 0),
        maximumAllocation: number(`yarn.resource-types.${name}.maximum-allocation`, longMaximum),
      }),
    ),
  );
}

const typeForm = /^(?:(?:[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?\.)*[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?\/)?[A-Za-z][\w.-]*$/;

/** @throws ConfigurationError for names and units that Hadoop refuses (ResourceUtils.validateNameOfResourceNameAndThrowException) */
function checkType(name: string, units: string): void {
  const refuse = (key: string, problem: string, remedy: string) => new ConfigurationError('the resource types', key, problem, remedy);
  if (!typeForm.test(name))
    throw refuse(
      'yarn.resource-types',
      `'${name}' is not a valid resource name`,
      'Write letters, digits, . _ and -, after NAMESPACE/ where wanted.',
    );
  if (name === 'memory') throw refuse('yarn.resource-types', "'memory' is reserved", 'It is always there as memory-mb.');
  if (!isUnit(units))
    throw refuse(`yarn.resource-types.${name}.units`, `Unknown unit '${units}'`, `Known units are ${knownUnits.join(' ')}.`);
  if (name === 'yarn.io/gpu' && units !== '')
    throw refuse(`yarn.resource-types.${name}.units`, 'GPUs are counted without a unit', 'Leave the unit out.');
}
