// What runs containers on this node, and how much of it there is: engine, devices, capacity.
import { join } from 'node:path';
import { confinesRoot } from '../../config/container-user.ts';
import { containerRuntimes, gpuResource } from '../../config/engine-rules.ts';
import { namedPrograms, namedSecretFiles } from '../../config/named-files.ts';
import { batchSettings } from '../../config/settings/batch.ts';
import { engineSettings } from '../../config/settings/engines.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { historySettings } from '../../config/settings/history.ts';
import { tlsSettings } from '../../config/settings/tls.ts';
import type { ContainerEngine } from '../../engines/engine.ts';
import { configuredResource, NodeCapacity } from '../capacity.ts';
import type { Gpus } from '../devices/gpus.ts';
import { createEngine, findGpus } from '../engine-choice.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** The means of a node. */
export interface NodeEngine {
  readonly engine: ContainerEngine;
  /** The command line before what reads files of this machine for containers: it sees no more than they do. */
  readonly reading: readonly string[];
  /** Undefined where their plug-in is off. */
  readonly gpus: Gpus | undefined;
  readonly capacity: NodeCapacity;
}

/** Builds them. @throws ConfigurationError when devices, runtimes or control groups are wanted that this machine does not have */
export async function buildEngine(options: StartOptions, { store, records, users, folders }: NodeState): Promise<NodeEngine> {
  const { configuration, common, settings, dependencies, closer } = options;
  const { clock, logger } = dependencies;
  const chosen = configuration.values(engineSettings);
  const gpus = await findGpus(configuration, { store, recovered: records.devices, clock, logger });
  const configured = configuredResource(configuration);
  const { engine, reading } = await createEngine({
    settings: chosen,
    runtimes: containerRuntimes(configuration),
    node: settings,
    vcores: configured.vcores,
    devices: gpus !== undefined,
    switchesUsers: users !== undefined,
    secrets: {
      bringing: folders.local.map((local) => folders.bringing(local)),
      folders: ['secrets', 'resource-manager', 'timeline'].map((name) => join(configuration.dataDir, name)),
      files: [
        configuration.values(heddleSettings).clusterSecretFile,
        ...(common.httpAuthenticationSecretFile === undefined ? [] : [common.httpAuthenticationSecretFile]),
        ...['', '-wal', '-shm'].map((end) => join(settings.recoveryDirectory, `node.sqlite${end}`)),
        // One file may hold a key and what clients need to know.
        ...namedSecretFiles(configuration).filter((path) => path !== configuration.values(tlsSettings).authorityFile),
      ],
    },
    confined: confinesRoot(configuration)
      ? {
          made: [
            common.temporaryDirectory,
            configuration.values(batchSettings).stagingDirectory,
            configuration.values(historySettings).intermediateDirectory,
          ],
          writable: chosen.confinedWritable,
          readOnly: [
            configuration.dataDir,
            ...(configuration.confDir === undefined ? [] : [configuration.confDir]),
            ...namedPrograms(configuration),
            chosen.ociImages,
          ],
        }
      : undefined,
    clock,
    logger,
  });
  closer.add('engine', () => engine.close());
  return { engine, reading, gpus, capacity: new NodeCapacity(gpus ? { ...configured, [gpuResource]: gpus.all.length } : configured) };
}
