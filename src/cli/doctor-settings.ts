// What `heddle doctor` finds unsafe in the settings and on this machine, without a running cluster.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { shuffleAddress } from '../config/auxiliary-classes.ts';
import { switchesUsers } from '../config/container-user.ts';
import { callersProve, isLoopback, listeningAddresses, refuseExposure } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { namedRandomSecrets, namedSecretFiles } from '../config/named-files.ts';
import { risksOf } from '../config/risks.ts';
import { serverRpcEntries } from '../config/rpc-ports.ts';
import { commonSettings } from '../config/settings/common.ts';
import { engineSettings } from '../config/settings/engines.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { rpcSettings } from '../config/settings/rpc.ts';
import { shuffleSettings } from '../config/settings/shuffle.ts';
import { schemeOf } from '../config/web-addresses.ts';
import { fileText } from '../lib/file-text.ts';
import { ownUserName } from '../lib/own-user.ts';
import { exposureOf, isWeak } from '../lib/secret-rules.ts';
import { findAccess } from './doctor-access.ts';
import { findCertificates } from './doctor-certificates.ts';
import { findIssuer } from './doctor-issuer.ts';
import { findKerberos } from './doctor-kerberos.ts';
import { type Finding, problem, refusal } from './finding.ts';
import { unreadableSettings } from './unreadable-settings.ts';

/** Roles that the settings are for. */
export const rolesOf = (configuration: Configuration): string[] => [
  ...configuration.values(heddleSettings).roles,
  ...(configuration.values(commonSettings).webProxyAddress === undefined ? [] : ['proxy']),
];

/** All of it. */
export async function findInSettings(configuration: Configuration): Promise<Finding[]> {
  const found = [
    ...findExposure(configuration),
    ...findAccess(configuration, rolesOf(configuration)),
    ...(await unreadableSettings(configuration)).map(refusal),
    ...findSecrets(configuration),
    ...findClearText(configuration),
    ...findCertificates(configuration, rolesOf(configuration), Date.now()),
    ...findContainers(configuration),
    ...(await findKerberos(configuration, rolesOf(configuration))),
    ...(await findIssuer(configuration)),
  ];
  // Several look at the same settings.
  return [...new Map(found.map((finding) => [finding.what, finding])).values()];
}

/** Settings with which nothing starts, or with a warning. */
function findExposure(configuration: Configuration): Finding[] {
  const roles = rolesOf(configuration);
  try {
    for (const role of roles) refuseExposure(role, configuration);
    return risksOf(roles, configuration).map(({ what, remedy }) => problem(what, remedy));
  } catch (error) {
    return [refusal(error)];
  }
}

/** Files with secrets that others can have or guess, and a data folder in which others can write. */
function findSecrets(configuration: Configuration): Finding[] {
  const folder = join(configuration.dataDir, 'secrets');
  const own = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
  const made = own.map(({ name }) => join(folder, name));
  const paths = new Set([...made, ...namedSecretFiles(configuration)]);
  const random = new Set([...made, ...namedRandomSecrets(configuration)]);
  const found = [...paths].flatMap((path) => {
    const stats = statsOf(path);
    if (!stats?.isFile()) return [];
    const exposure = exposureOf(stats);
    if (exposure !== undefined)
      return [problem(`the secret ${path} ${exposure}`, `Write a new one there, and say "chmod 600 ${path}" as its owner.`)];
    return random.has(path) && isText(path) && isWeakFile(path)
      ? [problem(`the secret ${path} is easy to guess`, 'Write at least 16 random bytes there.')]
      : [];
  });
  for (const path of storesOf(configuration.dataDir)) {
    const stats = statsOf(path);
    const exposure = stats && exposureOf(stats);
    if (exposure === undefined) continue;
    const remedy = `Say "chmod 600 ${path}" as its owner; then revoke bearer tokens, and delegation tokens and keys end by themselves after their time.`;
    found.push(problem(`${path}, which has the keys of delegation tokens and secrets of applications, ${exposure}`, remedy));
  }
  const data = statsOf(configuration.dataDir);
  if (data && (data.mode & 0o022) !== 0)
    found.push(problem(`others can write in the data folder ${configuration.dataDir}`, `Say "chmod go-w ${configuration.dataDir}".`));
  return found;
}

/** Files of the stores that hold master keys of delegation tokens, and what applications brought. */
const storesOf = (dataDir: string): string[] =>
  ['resource-manager/state.sqlite', 'timeline/timeline.sqlite'].flatMap((name) => ['', '-wal'].map((end) => join(dataDir, name + end)));

/** Keytabs and keystores have forms of their own. */
const isText = (path: string): boolean => !/keytab|\.(?:p12|pfx|pem|key)$/.test(path);

function isWeakFile(path: string): boolean {
  try {
    const text = readFileSync(path);
    const first = text.toString('latin1').split('\n')[0] ?? '';
    const bytes = /^[A-Za-z0-9+/]{22,}={0,2}$/.test(first.trim()) ? Buffer.from(first, 'base64') : text;
    return isWeak(bytes);
  } catch {
    return false;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Names, cookies, tokens and data that cross the network as they are. */
function findClearText(configuration: Configuration): Finding[] {
  const open = rolesOf(configuration).filter(
    (role) =>
      schemeOf(configuration, role === 'history' ? 'history' : 'resource-manager') === 'http' &&
      listeningAddresses(role, configuration).some(({ host }) => !isLoopback(host)),
  );
  const found = clearPorts(configuration);
  if (open.length === 0) return found;
  const what = open.some((role) => callersProve(role, configuration)) ? 'cookies, tokens and what is asked for' : 'what is asked for';
  return [
    problem(
      `${what} can be read and changed on the network: ${open.join(', ')} ${open.length > 1 ? 'speak' : 'speaks'} HTTP beyond loopback`,
      `Set ${commonSettings.httpPolicy.key}=HTTPS_ONLY (for the history server mapreduce.jobhistory.http.policy), or put a gateway that speaks TLS in front.`,
    ),
    ...found,
  ];
}

/** Ports beside the web interfaces that say things in clear text where others can hear them. */
function clearPorts(configuration: Configuration): Finding[] {
  const roles = rolesOf(configuration);
  const shuffle = roles.includes('node-manager') ? shuffleAddress(configuration) : undefined;
  const { encrypted } = shuffleSettings;
  const rpcEntries = [...serverRpcEntries, nodeManagerSettings.address];
  const rpcKeys = new Set<string>(configuration.values(rpcSettings).enabled ? rpcEntries.map(({ key }) => key) : []);
  const rpc = roles
    .flatMap((role) => listeningAddresses(role, configuration))
    .filter(({ key, host }) => rpcKeys.has(key) && !isLoopback(host));
  return [
    ...(shuffle && !isLoopback(shuffle.host) && !configuration.values(shuffleSettings).encrypted
      ? [
          problem(
            `outputs of maps of Hadoop's jobs can be read and changed on the network: ${shuffleSettings.port.key} speaks HTTP beyond loopback`,
            `Set ${encrypted.key}=true for nodes and jobs.`,
          ),
        ]
      : []),
    ...(rpc.length > 0
      ? [
          {
            level: 'note' as const,
            what: `what programs say by Hadoop RPC can be read and changed on the network: ${[...new Set(rpc.map(({ key }) => key))].join(', ')}`,
            remedy: `Keep these ports inside a network that nobody else hears, or turn them off with ${rpcSettings.enabled.key}=false.`,
          },
        ]
      : []),
  ];
}

/** What keeps containers apart from the cluster and from each other. */
function findContainers(configuration: Configuration): Finding[] {
  if (!rolesOf(configuration).includes('node-manager')) return [];
  const settings = configuration.values(engineSettings);
  const found: Finding[] = [];
  const isRoot = process.getuid?.() === 0;
  let isSwitching = true;
  try {
    isSwitching = switchesUsers(configuration, isRoot);
  } catch {
    // Told as exposure.
  }
  const isConcealing = !isRoot && settings.concealSecrets !== 'off' && canConceal();
  if (!isSwitching && isRoot) found.push(rootsContainers(configuration));
  else if (!isSwitching && !isConcealing)
    found.push({
      level: 'note',
      what: `containers run as ${ownUserName()}, the node manager's own user: they can read the secrets of the cluster, memory and environment of its servers and each other's files`,
      remedy: `Let only those submit who may be that user; or start the node manager as root with ${engineSettings.switchUsers.key}=true, so that containers run as others${canConceal() ? `; or set ${engineSettings.concealSecrets.key}=auto, which hides most of it here` : ''}.`,
    });
  const programs = (name: string) => (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)));
  if (!settings.noNewPrivileges)
    found.push({
      level: 'note',
      what: 'programs in containers can gain rights by setuid',
      remedy: `Take ${engineSettings.noNewPrivileges.key} away where no job needs sudo.`,
    });
  else if (!programs('setpriv'))
    found.push(problem('programs in containers can gain rights by setuid, because there is no setpriv', 'Install util-linux.'));
  if (isSwitching && !programs('setpriv'))
    found.push(problem('containers cannot run as other users, because there is no setpriv', 'Install util-linux.'));
  const runsImages = settings.allowedRuntimes.some((name) => name.toLowerCase() !== 'default');
  if (runsImages && settings.ociSeccomp === 'off')
    found.push(problem('containers in images may make every system call', `Take ${engineSettings.ociSeccomp.key} away.`));
  else if (runsImages && !/^Seccomp:/m.test(fileText('/proc/self/status')))
    found.push(problem('this kernel has no seccomp, so system calls of containers in images are not filtered', 'Use another kernel.'));
  return found;
}

/** What containers of root can do, as they are confined or not. */
function rootsContainers(configuration: Configuration): Finding {
  const remedy = `Let only those submit who may be root; or ${howToSwitch(configuration.dataDir)}.`;
  const { rootContainers } = configuration.values(engineSettings);
  if (rootContainers === 'root') {
    const what =
      'containers run as root and can do everything: read the secrets of the cluster, memory and environment of its servers, change the system';
    return { level: 'note', what, remedy: `Take ${engineSettings.rootContainers.key}=root away. ${remedy}` };
  }
  const tried = spawnSync('unshare', ['--mount', '--propagation', 'slave', '--', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (tried.status === 0)
    return {
      level: 'note',
      what: "containers run as root, confined: they have no capabilities, and neither see the cluster's secrets nor write in the system's folders, but can end processes of root and leave files of root's",
      remedy,
    };
  const reason = tried.error?.message ?? tried.stderr.trim();
  return problem(
    `containers run as root without capabilities, but read and write all files of root, the secrets of the cluster too, because this system lets root mount nothing (${reason})`,
    `Give Heddle the right to mount (CAP_SYS_ADMIN). ${remedy}`,
  );
}

/** What root does so that its containers run as others. */
function howToSwitch(dataDir: string): string {
  const closed = closedFolderAbove(dataDir);
  const way = closed === undefined ? '' : `, and let others enter ${closed} (chmod o+x) or give another --data`;
  return `set ${engineSettings.switchUsers.key}=true, so that containers run as others${way}`;
}

/** The innermost folder above a path that other users cannot enter. */
function closedFolderAbove(path: string): string | undefined {
  for (let above = dirname(resolve(path)); above !== dirname(above); above = dirname(above)) {
    const mode = statsOf(above)?.mode;
    if (mode !== undefined && (mode & 0o001) === 0) return above;
  }
  return undefined;
}

/** Whether this system lets an ordinary user make namespaces and mount in them. */
function canConceal(): boolean {
  const { status } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'], {
    stdio: 'ignore',
    timeout: 10_000,
  });
  return status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
