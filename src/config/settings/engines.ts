// Settings of the engines that run containers: control groups, users of the machine, OCI runtimes, devices.
import { defineSettings } from '../table.ts';

/** Settings of the node manager's engines. */
export const engineSettings = defineSettings({
  controlGroups: {
    key: 'heddle.node-manager.cgroups',
    type: 'string',
    default: 'auto',
    oneOf: ['auto', 'required', 'off'],
    about:
      'auto: control groups where a limit asks for them and they are writable, else processes are watched; required: always, and the node does not start without; off: never.',
  },
  cgroupHierarchy: {
    key: 'yarn.nodemanager.linux-container-executor.cgroups.hierarchy',
    type: 'string',
    default: '/hadoop-yarn',
    about: 'Control group below which each node makes one of its own for its containers.',
  },
  cgroupDeleteTimeoutMs: {
    key: 'yarn.nodemanager.linux-container-executor.cgroups.delete-timeout-ms',
    type: 'durationMs',
    default: 1000,
    minimum: 0,
    about: 'Longest time that the removal of a control group is tried.',
  },
  cpuEnabled: {
    key: 'yarn.nodemanager.resource.cpu.enabled',
    type: 'boolean',
    default: false,
    about: 'Shares processors among containers by their vcores, by control groups.',
  },
  cpuStrict: {
    key: 'yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage',
    type: 'boolean',
    default: false,
    about: 'Gives a container no more processor time than its vcores are worth, even when others leave it unused.',
  },
  memoryEnabled: {
    key: 'yarn.nodemanager.resource.memory.enabled',
    type: 'boolean',
    default: false,
    about: 'Limits the memory of containers by control groups, so that the kernel ends what grows beyond.',
  },
  memorySwappiness: {
    key: 'yarn.nodemanager.resource.memory.cgroups.swappiness',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100,
    about: 'Swappiness of containers (control groups version 1).',
  },
  memorySoftLimitPercentage: {
    key: 'yarn.nodemanager.resource.memory.cgroups.soft-limit-percentage',
    type: 'number',
    default: 90,
    minimum: 0,
    maximum: 100,
    about: 'Part of its memory that a container keeps when the machine is short of it.',
  },
  resourcePlugins: {
    key: 'yarn.nodemanager.resource-plugins',
    type: 'list',
    about: 'Resource types whose devices the node finds and gives to containers: yarn.io/gpu.',
  },
  gpusAllowed: {
    key: 'yarn.nodemanager.resource-plugins.gpu.allowed-gpu-devices',
    type: 'string',
    default: 'auto',
    about: 'GPUs that containers may use: auto, or index:minor number,….',
  },
  gpuDiscoveryPath: {
    key: 'yarn.nodemanager.resource-plugins.gpu.path-to-discovery-executables',
    type: 'string',
    about: 'The program nvidia-smi or its folder; unset: the usual folders.',
  },
  maximumProcesses: {
    key: 'heddle.node-manager.maximum-processes',
    type: 'integer',
    default: -1,
    minimum: -1,
    about: 'Most processes and threads of a container, by control groups; -1: no limit.',
  },
});
