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
  resourcesHandlerClass: {
    key: 'yarn.nodemanager.linux-container-executor.resources-handler.class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.nodemanager.util.DefaultLCEResourcesHandler',
    about: 'CgroupsLCEResourcesHandler is an older way to say yarn.nodemanager.resource.cpu.enabled.',
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
  allowedRuntimes: {
    key: 'yarn.nodemanager.runtime.linux.allowed-runtimes',
    type: 'list',
    default: 'default',
    about: 'What containers may choose by YARN_CONTAINER_RUNTIME_TYPE: default, runc, docker (the last two are the same here).',
  },
  defaultRuntime: {
    key: 'yarn.nodemanager.runtime.linux.type',
    type: 'string',
    default: 'default',
    about: 'Runtime of containers that choose none.',
  },
  ociRuntime: {
    key: 'heddle.node-manager.oci.runtime',
    type: 'string',
    default: 'runc',
    about: 'The OCI runtime: a program and options of its own, such as runc or crun.',
  },
  ociImages: {
    key: 'heddle.node-manager.oci.images',
    type: 'path',
    default: '${heddle.data}/node-manager/images',
    about: 'Folder of images: unpacked root file systems and OCI layouts, by name.',
  },
  ociReadOnlyRoot: {
    key: 'heddle.node-manager.oci.read-only-root',
    type: 'boolean',
    default: false,
    about: 'Containers cannot write to the root file system of their image.',
  },
  ociCapabilities: {
    key: 'heddle.node-manager.oci.capabilities',
    type: 'list',
    about: 'Capabilities of containers in images, without CAP_; by default none.',
  },
  ociSeccomp: {
    key: 'heddle.node-manager.oci.seccomp',
    type: 'string',
    default: 'default',
    about:
      "System calls of containers in images. default: all but those that reach the kernel's own parts or make user namespaces; off: all; or the path of a JSON file, linux.seccomp of the OCI runtime specification.",
  },
  ociReadOnlyMounts: {
    key: 'heddle.node-manager.oci.read-only-mounts',
    type: 'list',
    about: 'Paths of the machine that containers in images may ask to see (docker.allowed.ro-mounts of Hadoop).',
  },
  ociReadWriteMounts: {
    key: 'heddle.node-manager.oci.read-write-mounts',
    type: 'list',
    about: 'Paths of the machine that containers in images may ask to write to (docker.allowed.rw-mounts of Hadoop).',
  },
  ociDefaultReadOnlyMounts: {
    key: 'yarn.nodemanager.runtime.linux.runc.default-ro-mounts',
    type: 'list',
    about: 'What every container in an image sees of the machine: SOURCE:TARGET,….',
  },
  ociDefaultReadWriteMounts: {
    key: 'yarn.nodemanager.runtime.linux.runc.default-rw-mounts',
    type: 'list',
    about: 'What every container in an image may write to on the machine: SOURCE:TARGET,….',
  },
  ociImage: {
    key: 'yarn.nodemanager.runtime.linux.runc.image-name',
    type: 'string',
    about: 'Image of containers that choose an image runtime and name no image.',
  },
  ociNetworks: {
    key: 'yarn.nodemanager.runtime.linux.runc.allowed-container-networks',
    type: 'list',
    default: 'host,none',
    about: 'Networks that containers in images may choose: host, none.',
  },
  ociDefaultNetwork: {
    key: 'yarn.nodemanager.runtime.linux.runc.default-container-network',
    type: 'string',
    default: 'host',
    oneOf: ['host', 'none'],
    about: 'Network of containers in images that choose none.',
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
  noNewPrivileges: {
    key: 'heddle.node-manager.no-new-privileges',
    type: 'boolean',
    default: true,
    about:
      'No program in a container gains rights that its user does not have, by setuid or file capabilities (no_new_privs); sudo and ping as such do not work there.',
  },
  concealSecrets: {
    key: 'heddle.node-manager.conceal-secrets',
    type: 'string',
    default: 'off',
    oneOf: ['off', 'auto', 'required'],
    about:
      "Containers that run as the node manager's own user, which is not root, live in a user and a mount namespace without the secrets and stores below --data, and read neither memory nor environment of the servers. auto: where the system lets an ordinary user do so; required: the node does not start otherwise. Files of other users show as those of nobody there.",
  },
  rootContainers: {
    key: 'heddle.node-manager.root-containers',
    type: 'string',
    default: 'confined',
    oneOf: ['confined', 'root'],
    about:
      "Containers of a node manager that is root and does not switch users. confined: they are root by number alone, without capabilities, and in a mount namespace where the system's own folders are read-only and the secrets and stores below --data are covered; where the system lets nobody mount, without capabilities alone. root: they can do everything.",
  },
  confinedWritable: {
    key: 'heddle.node-manager.root-containers.writable',
    type: 'list',
    default: '/root/.sparkStaging,/root/.flink',
    about:
      "Files and folders, there at the start of the node manager, in which confined containers can write, too. All in / that are not the system's own, /var/tmp, /dev/shm and root's home but for what begins with a dot there are anyway.",
  },
  switchUsers: {
    key: 'heddle.node-manager.switch-users',
    type: 'string',
    default: 'auto',
    oneOf: ['auto', 'true', 'false'],
    about:
      'Runs containers as another user than the node manager, which must be root: auto does where yarn.nodemanager.container-executor.class names LinuxContainerExecutor, and where others can submit without authentication (a node manager that is not root does not start then); false: never, not even as root.',
  },
  localUser: {
    key: 'yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user',
    type: 'string',
    default: 'nobody',
    about: 'User that containers run as where users are limited.',
  },
  limitUsers: {
    key: 'yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users',
    type: 'boolean',
    default: true,
    about: 'Runs all containers as the local user unless users prove who they are (Kerberos); false: as the user who submitted.',
  },
  userPattern: {
    key: 'yarn.nodemanager.linux-container-executor.nonsecure-mode.user-pattern',
    type: 'string',
    default: '^[_.A-Za-z0-9][-@_.A-Za-z0-9]{0,255}?[$]?$',
    about: 'Regular expression of the names of users who may run containers.',
  },
  minimumUserId: {
    key: 'heddle.node-manager.minimum-user-id',
    type: 'integer',
    default: 1000,
    minimum: 1,
    about: 'Smallest number of a user who may run containers; min.user.id of container-executor.cfg, which is read too, goes before.',
  },
  bannedUsers: {
    key: 'heddle.node-manager.banned-users',
    type: 'list',
    default: 'root,bin,daemon,mail,sshd',
    about: 'Users who may not run containers; banned.users of container-executor.cfg goes before.',
  },
  allowedSystemUsers: {
    key: 'heddle.node-manager.allowed-system-users',
    type: 'list',
    about: 'Users who may run containers although their number is too small; allowed.system.users of container-executor.cfg goes before.',
  },
  maximumProcesses: {
    key: 'heddle.node-manager.maximum-processes',
    type: 'integer',
    default: -1,
    minimum: -1,
    about: 'Most processes and threads of a container, by control groups; -1: no limit.',
  },
});
