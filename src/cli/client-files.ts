// `heddle config client DIR`: the settings by which programs of Hadoop find a cluster that runs.

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Configuration } from '../config/load.ts';
import { configuredSize } from '../config/node-size.ts';
import { historyRpc, historyRpcNames, resourceManagerRpc, rpcNames, timelineRpc } from '../config/rpc-ports.ts';
import { batchSettings } from '../config/settings/batch.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { rpcSettings } from '../config/settings/rpc.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { awaitClusterFile } from './cluster-file.ts';
import { CommandFailure } from './failure.ts';
import { isSizeLeftOpen, sizeOfNode } from './node-size.ts';
import { type ConfigurationFlags, configurationOf, dataDirectory, withConfigurationOptions } from './options.ts';
import { printNote, printText } from './output.ts';

/** Registers the command below `heddle config`. */
export function addClientFiles(config: Command): void {
  withConfigurationOptions(config.command('client').argument('<directory>', 'folder to write into; it is made'))
    .description("write core-site.xml, yarn-site.xml and mapred-site.xml for Hadoop's own programs")
    .option('--class-path <pattern>', "where containers find Hadoop's jars: `/opt/hadoop/lib/*`; several apart by commas")
    .action(writeClientFiles);
}

interface Flags extends ConfigurationFlags {
  readonly classPath?: string;
}

function writeClientFiles(directory: string, flags: Flags): void {
  const configuration = configurationOf(flags);
  if (!configuration.values(rpcSettings).enabled)
    throw new CommandFailure('Hadoop RPC is turned off', `Set ${rpcSettings.enabled.key}=true, then start the cluster anew.`);
  const files = clientFiles(configuration, awaitClusterFile(dataDirectory(flags))?.addresses, flags.classPath, resolve(directory));
  try {
    makeFolder(directory, 0o755);
    for (const [name, settings] of Object.entries(files)) writeFileSync(join(directory, name), asXml(settings));
  } catch (error) {
    throw new CommandFailure(systemErrorText(error), 'Name a folder that you may write to.');
  }
  for (const name of Object.keys(files)) printText(`${join(directory, name)}\n`);
  const { defaultFileSystem } = configuration.values(commonSettings);
  if (!isOfFolders(defaultFileSystem))
    printNote(
      `heddle: note: fs.defaultFS is file:/// in them, not ${defaultFileSystem}: jobs are staged in folders that all machines see; programs name data there whole, as ${defaultFileSystem.replace(/\/$/, '')}/PATH\n`,
    );
}

/**
 * How often Hadoop's programs ask, where the settings do not say: by default once a second or less, which is most of what a small job waits for
 * and spares Heddle nothing. And masters keep their connections to nodes, by default none: each call would log in anew.
 */
const pace = {
  'yarn-site.xml': { 'yarn.client.max-cached-nodemanagers-proxies': '100' },
  'mapred-site.xml': {
    'yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms': '250',
    'mapreduce.client.progressmonitor.pollinterval': '250',
    'mapreduce.client.completion.pollinterval': '250',
  },
} as const;

const isOfFolders = (fileSystem: string): boolean => /^\s*(?:$|file:)/i.test(fileSystem);

/** Addresses by role and name, as a cluster that runs wrote them down. */
type Addresses = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The files and their settings: the addresses of the cluster that runs where there is one, else those of the settings. `directory`: where they will
 * lie, for masters that find the cluster by the settings on their class path alone, such as that of DistributedShell.
 */
export function clientFiles(
  configuration: Configuration,
  running: Addresses | undefined,
  classPath?: string,
  directory?: string,
): Readonly<Record<string, Record<string, string>>> {
  const common = configuration.values(commonSettings);
  const manager = running?.['resource-manager'];
  const history = running?.['history']?.['web'];
  const historyFolders = configuration.values(historySettings);
  const paceOf = (file: keyof typeof pace): Record<string, string> =>
    Object.fromEntries(Object.entries(pace[file]).map(([key, value]) => [key, configuration.get(key) ?? value]));
  return {
    'core-site.xml': {
      // Where jobs are staged has to lie on it (JobSubmitter), and nodes read that from folders.
      'fs.defaultFS': isOfFolders(common.defaultFileSystem) ? common.defaultFileSystem : 'file:///',
      'hadoop.security.authentication': common.securityAuthentication,
      ...asSet(configuration, proofs['core-site.xml']),
    },
    'yarn-site.xml': {
      ...Object.fromEntries(
        rpcNames.map((name) => [resourceManagerRpc[name].key, manager?.[name] ?? configuration.get(resourceManagerRpc[name].key) ?? '']),
      ),
      ...webAddress(configuration, 'resource-manager', manager?.['web']),
      // Clients that start containers for people look here whether one may be as large as they are asked for (Jupyter Enterprise Gateway).
      [nodeManagerSettings.memoryMiB.key]: String(memoryOfNodeMiB(configuration)),
      ...asSet(configuration, proofs['yarn-site.xml']),
      'yarn.timeline-service.enabled': 'false',
      ...applicationHistory(configuration, running),
      'yarn.log-aggregation-enable': String(common.logAggregationEnabled),
      'yarn.nodemanager.remote-app-log-dir': asUri(common.remoteLogDirectory),
      'yarn.nodemanager.remote-app-log-dir-suffix': common.remoteLogDirectorySuffix,
      ...paceOf('yarn-site.xml'),
      ...(classPath === undefined ? {} : { 'yarn.application.classpath': directory ? `${directory},${classPath}` : classPath }),
    },
    'mapred-site.xml': {
      'mapreduce.framework.name': 'yarn',
      ...Object.fromEntries(
        historyRpcNames.map((name) => [
          historyRpc[name].key,
          running?.['history']?.[name] ?? configuration.get(historyRpc[name].key) ?? '',
        ]),
      ),
      ...webAddress(configuration, 'history', history),
      ...asSet(configuration, proofs['mapred-site.xml']),
      'yarn.app.mapreduce.am.staging-dir': asUri(configuration.values(batchSettings).stagingDirectory),
      'mapreduce.jobhistory.intermediate-done-dir': asUri(historyFolders.intermediateDirectory),
      'mapreduce.jobhistory.done-dir': asUri(historyFolders.doneDirectory),
      ...paceOf('mapred-site.xml'),
      ...(classPath === undefined ? {} : { 'mapreduce.application.classpath': classPath }),
    },
  };
}

/** Where a web interface is, and that it speaks HTTPS where it does. `running`: its URL. */
function webAddress(
  configuration: Configuration,
  server: 'resource-manager' | 'timeline' | 'history',
  running?: string,
): Record<string, string> {
  const { key, scheme, address } = serverAddress(configuration, server);
  const policy = server === 'history' ? historySettings.httpPolicy : commonSettings.httpPolicy;
  return { ...(scheme === 'https' ? { [policy.key]: 'HTTPS_ONLY' } : {}), [key]: running === undefined ? address : new URL(running).host };
}

/** Memory that a node offers to containers: of this machine, where the settings leave it open. */
function memoryOfNodeMiB(configuration: Configuration): number {
  const { key } = nodeManagerSettings.memoryMiB;
  const left = isSizeLeftOpen(configuration) ? sizeOfNode(configuration, 1)[key] : undefined;
  return left === undefined ? configuredSize(configuration.values(nodeManagerSettings)).memoryMiB : Number(left);
}

/** What clients that prove who they are by Kerberos have to know of the servers, and that the access lists of their jobs count, as far as it is set. */
const proofs = {
  'core-site.xml': [commonSettings.authToLocal, commonSettings.authToLocalMechanism, rpcSettings.protection],
  'yarn-site.xml': [resourceManagerSettings.principal, nodeManagerSettings.principal, timelineSettings.principal],
  'mapred-site.xml': [historySettings.principal, historySettings.aclsEnabled, historySettings.administrators],
} as const;

/** The settings that somebody has set. */
const asSet = (configuration: Configuration, settings: readonly { readonly key: string }[]): Record<string, string> =>
  Object.fromEntries(settings.flatMap(({ key }) => (configuration.origin(key) === undefined ? [] : [[key, configuration.get(key) ?? '']])));

/** Where clients ask for what the resource manager no longer knows; it is turned off where they would wait for nobody. */
function applicationHistory(configuration: Configuration, running: Addresses | undefined): Record<string, string> {
  const common = configuration.values(commonSettings);
  const isElsewhere = [timelineRpc.rpc, commonSettings.timelineHostname].some(({ key }) => configuration.origin(key) !== undefined);
  const isServed = common.timelineEnabled && common.applicationHistoryEnabled && (running === undefined || isElsewhere);
  const timeline = running?.['timeline'];
  const address = timeline ? timeline['rpc'] : isServed ? configuration.get(timelineRpc.rpc.key) : undefined;
  if (address === undefined) return { [commonSettings.applicationHistoryEnabled.key]: 'false' };
  return {
    [commonSettings.applicationHistoryEnabled.key]: 'true',
    [timelineRpc.rpc.key]: address,
    ...webAddress(configuration, 'timeline', timeline?.['web']),
  };
}

/** A folder of this machine as clients whose files lie elsewhere by default must name it; what has a scheme stays. */
const asUri = (place: string): string => (place.startsWith('/') ? `file://${place}` : place);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function asXml(settings: Readonly<Record<string, string>>): string {
  const properties = Object.entries(settings).map(
    ([key, value]) => `  <property>\n    <name>${escaped(key)}</name>\n    <value>${escaped(value)}</value>\n  </property>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${properties.join('')}</configuration>\n`;
}
