// Which containers' logs are kept, by the simple name of Hadoop's policy classes (ContainerLogAggregationPolicy).
import { isSignalled } from '../../model/exit-status.ts';
import { parseContainerId } from '../../model/ids.ts';

/** What a policy asks about a container; running ones count as successful. */
export interface LoggedContainer {
  readonly containerId: string;
  readonly isMaster: boolean;
  readonly exitCode: number;
}

const hasFailed = (exitCode: number) => exitCode !== 0 && !isSignalled(exitCode);

const policies: Readonly<Record<string, (container: LoggedContainer, parameters: string) => boolean>> = {
  AllContainerLogAggregationPolicy: () => true,
  NoneContainerLogAggregationPolicy: () => false,
  AMOnlyLogAggregationPolicy: ({ isMaster }) => isMaster,
  FailedContainerLogAggregationPolicy: ({ exitCode }) => hasFailed(exitCode),
  FailedOrKilledContainerLogAggregationPolicy: ({ exitCode }) => exitCode !== 0,
  AMOrFailedContainerLogAggregationPolicy: ({ isMaster, exitCode }) => isMaster || hasFailed(exitCode),
  SampleContainerLogAggregationPolicy: isSampled,
};

/** The policy of a class's name; all logs where it is unknown. */
export function aggregationPolicy(className: string, parameters = ''): (container: LoggedContainer) => boolean {
  const name = className.split(/[.$]/).at(-1) ?? '';
  const policy = (Object.hasOwn(policies, name) ? policies[name] : undefined) ?? policies['AllContainerLogAggregationPolicy']!;
  return (container) => policy(container, parameters);
}

/** Masters, what failed, the first `MIN` containers, and the share `SR` of the others: `SR:0.2,MIN:20`. */
function isSampled({ containerId, isMaster, exitCode }: LoggedContainer, parameters: string): boolean {
  if (isMaster || exitCode !== 0) return true;
  let rate = 0.2;
  let least = 20;
  for (const [name, text] of parameters.split(',').map((part) => part.split(':').map((piece) => piece.trim()))) {
    const value = Number(text);
    if (text === undefined || text === '' || Number.isNaN(value) || value < 0) continue;
    if (name === 'SR' && value <= 1) rate = value;
    if (name === 'MIN' && Number.isInteger(value)) least = value;
  }
  const { number } = parseContainerId(containerId);
  // Workers begin with container 2.
  return number < least + 2 || (rate !== 0 && number % Math.max(1, Math.round(1 / rate)) === 0);
}
