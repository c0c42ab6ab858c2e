// Gives the commands their ports: the cluster, its policy and the settings they follow.
import type { Configuration } from '../../config/load.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Cluster } from '../cluster.ts';
import { bindCommands, type CommandPorts, type Commands } from '../commands/commands.ts';
import type { ApplicationPorts } from '../commands/find-application.ts';
import type { Access } from '../security/access.ts';
import type { Audit } from '../security/audit-log.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';

/** What commands are built of. */
export interface CommandParts {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly store: ResourceManagerStore;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly access: Access;
  readonly audit: Audit;
}

/** The commands of one resource manager. */
export const buildCommands = (parts: CommandParts): Commands => bindCommands({ ...submissionPorts(parts), ...changePorts(parts) });

function submissionPorts({
  configuration,
  cluster,
  store,
  policy,
  types,
  access,
  audit,
}: CommandParts): Pick<CommandPorts, 'newApplication' | 'submit'> {
  const own = configuration.values(resourceManagerSettings);
  return {
    newApplication: { newApplicationId: () => cluster.newApplicationId(), policy },
    submit: {
      applications: {
        submissionOf: (id) =>
          cluster.view.application(id) || store.finished(id) ? (cluster.view.submission(id) ?? Promise.resolve()) : undefined,
        reserveId: (clusterTimestamp, sequence) => cluster.reserveSequence(clusterTimestamp, sequence),
        create: (application) => cluster.submit(application),
      },
      admission: {
        policy,
        access,
        types,
        settings: {
          masterLabel: own.nodeLabelsEnabled ? own.masterLabel || undefined : undefined,
          taggingUsers: own.applicationTagPlacementEnabled ? own.applicationTagPlacementUsers : undefined,
        },
      },
      limits: () => ({
        configuredMaximum: policy.configuredMaximum(),
        maximumTags: own.maximumTags,
        maximumTagLength: own.maximumTagLength,
        lowerCaseTags: own.applicationTagLowercase,
        types,
      }),
      audit,
    },
  };
}

type Changes = 'kill' | 'move' | 'setPriority' | 'setLifetime' | 'signal';

function changePorts({ configuration, clock, cluster, policy, access, audit }: CommandParts): Pick<CommandPorts, Changes> {
  const application: ApplicationPorts = { applications: cluster, access, audit };
  return {
    kill: { ...application, kill: (killed, user, reason) => cluster.killByUser(killed, user, reason) },
    move: { ...application, access, policy, move: (moved, queue) => cluster.move(moved, queue) },
    setPriority: { ...application, policy, setPriority: (changed, priority) => cluster.setPriority(changed, priority) },
    setLifetime: { ...application, clock, setLifetime: (changed, expiryMs) => cluster.setLifetime(changed, expiryMs) },
    signal: {
      containers: {
        find: (containerId) => findContainer(cluster, containerId),
        signal: (container, signal) => cluster.signal(container, signal),
      },
      access,
      audit,
      isUnchecked: configuration.values(resourceManagerSettings).signalsUnchecked,
    },
  };
}

/** A live container with its application. */
function findContainer({ view }: Cluster, containerId: string) {
  const container = view.container(containerId);
  const application = container && view.application(container.applicationId);
  return container && application && { container, application };
}
