// Writes launch_container.sh, the file of credentials, and a file for each secret of the order.
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderBelow, type HeldFolder } from '../../../lib/folder-inside.ts';
import type { LaunchContext } from '../../../wire/cluster/launch-context.ts';
import { runsOwnProgram } from '../../../wire/cluster/own-programs.ts';
import type { NodeFolders } from '../../folders.ts';
import { type NewFile, writeNew } from '../../new-file.ts';
import type { NodeUsers } from '../../users.ts';
import { describeStart } from '../debug-information.ts';
import { containerEnvironment, expand, isVariableName } from '../environment.ts';
import { addedOpens, addOpensMark } from '../java-options.ts';
import { launchScript } from '../launch-script.ts';
import { secretsFolder } from './make-folders.ts';
import type { StartContext, StartStep } from './step.ts';

/** A Hadoop credentials file (Credentials.writeTokenStorageToStream, version 0) without tokens and secrets. */
const noCredentials = Buffer.from([0x48, 0x44, 0x54, 0x53, 0, 0, 0]);

const ownPrograms = {
  runtime: process.execPath,
  code: fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
  suffix: import.meta.url.endsWith('.ts') ? '.ts' : '.js',
};

export const writeScript: StartStep = {
  name: 'write-script',
  async run(context) {
    const { container, folders, node, localized } = context;
    const { order } = container;
    const workFolder = folders.work(order.user, order.applicationId, order.containerId);
    const logFolders = folders.containerLogs(order.applicationId, order.containerId);
    const tokenFile = join(workFolder, 'container_tokens');
    const secrets = Object.entries(order.launch.secretEnvironment ?? {}).filter(([name]) => isVariableName(name));
    const secretFiles = new Map(secrets.map(([name]) => [name, join(workFolder, secretsFolder, name)]));
    const opens = await opensOf(order.launch);
    const environment = containerEnvironment(order.launch.environment, {
      ...node,
      containerId: order.containerId,
      applicationId: order.applicationId,
      user: order.user,
      isMaster: order.isMaster,
      submitTimeMs: order.submitTimeMs,
      maxAttempts: order.maxAttempts,
      workFolder,
      applicationFolders: folders.usableLocal.map((local) => folders.application(local, order.user, order.applicationId)),
      userFolders: folders.usableLocal.map((local) => `${folders.userCache(local, order.user)}/`),
      logFolders,
      localized: localized.text,
      tokenFile,
      secretFiles,
      devices: node.gpus?.variables(order.containerId) ?? [],
      addedOpens: opens,
      ownPrograms: runsOwnProgram(order.launch.commands) ? ownPrograms : undefined,
    });
    const tokens = order.launch.tokens ? Buffer.from(order.launch.tokens, 'base64') : noCredentials;
    const set = new Set(environment.map(([name]) => name));
    const script = launchScript({
      environment,
      inherited: node.inherited.filter(([name]) => !set.has(name)),
      links: context.links,
      commands: order.launch.commands.map((command) => expand(command, logFolders[0]!, opens)),
      logFolder: logFolders[0]!,
      debug: node.debug,
    });
    const handed: NewFile[] = [
      { path: tokenFile, content: tokens },
      ...secrets.map(([name, value]) => ({ path: secretFiles.get(name)!, content: Buffer.from(value) })),
    ];
    context.script = script;
    if (!node.users) return writeAll(workFolder, [{ path: context.scriptFile, content: script, mode: 0o700 }, ...handed], folders);
    // In a folder of another user root writes nothing: this is done before it is given.
    if (node.debug && (await isOwn(logFolders[0]!))) await describeStart(context);
    await handOver(context, node.users, script, handed);
  },
  // The files lie in the working folder, which goes with its own step.
  async undo() {},
};

/** Whether a folder is still this process's: in those that were given to containers' users links may stand where files are written. */
const isOwn = async (folder: string): Promise<boolean> => (await lstat(folder)).uid === process.getuid?.();

/** What `<ADD_OPENS>` stands for in what a container runs; looked for only where it is there. */
async function opensOf({ commands, environment }: LaunchContext): Promise<string> {
  if (![...commands, ...Object.values(environment)].some((text) => text.includes(addOpensMark))) return '';
  return addedOpens({ ordered: environment['JAVA_HOME'], javaHome: process.env['JAVA_HOME'], path: process.env['PATH'] });
}

/** Those in the working folder and in its folder of secrets. */
async function writeAll(workFolder: string, files: readonly NewFile[], folders: NodeFolders): Promise<void> {
  using work = await folders.hold(workFolder, 0o700);
  const writeTo = async (held: HeldFolder, own: readonly NewFile[]) => {
    await Promise.all(own.map((file) => writeNew({ ...file, path: join(held.path, basename(file.path)) })));
  };
  const { secret = [], open = [] } = Object.groupBy(files, ({ path }) => (dirname(path) === workFolder ? 'open' : 'secret'));
  const writeSecrets = async () => {
    if (secret.length === 0) return;
    using held = await folderBelow(work, secretsFolder, 0o700);
    await writeTo(held, secret);
  };
  await Promise.all([writeTo(work, open), writeSecrets()]);
}

/** Script first, then the others: length and path of each, their bytes one after the other. */
const writeHanded =
  'umask 077; script=$2; while [ $# -gt 0 ]; do mkdir -p -- "${2%/*}" && head -c "$1" > "$2" || exit 1; shift 2; done; chmod 700 -- "$script"';

/** Lets the container's user have what it needs: the script, its credentials, its log folders, its local resources. */
async function handOver(
  { container, folders, links, scriptFile }: StartContext,
  users: NodeUsers,
  script: string,
  handed: readonly NewFile[],
): Promise<void> {
  const { user, applicationId, containerId } = container.order;
  const identity = await users.identityOf(user);
  const files = [{ path: scriptFile, content: Buffer.from(script) }, ...handed];
  await users.act(
    identity,
    writeHanded,
    files.flatMap(({ path, content }) => [String(Buffer.byteLength(content)), path]),
    Buffer.concat(files.map(({ content }) => Buffer.from(content))),
  );
  const caches = folders.local.flatMap((local) => [
    join(folders.userCache(local, user), 'filecache'),
    folders.applicationCache(local, user, applicationId),
  ]);
  const resources = new Set<string>();
  for (const path of links.values()) {
    const cache = caches.find((folder) => path.startsWith(folder + sep));
    if (cache !== undefined) resources.add(join(cache, path.slice(cache.length + 1).split(sep)[0]!));
  }
  for (const path of [...resources, ...folders.containerLogs(applicationId, containerId)]) await users.give(identity, path);
}
