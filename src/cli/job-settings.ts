// Settings that a user gives to one job: `-D`, files of `--job-conf`, and what they say of where the job runs.
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFileNames } from '../batch/submission/cache-files.ts';
import { todaysName } from '../batch/submission/options/check.ts';
import type { SourcedSetting } from '../batch/submission/submission.ts';
import { JobConfiguration } from '../batch/tasks/job-configuration.ts';
import { parseHadoopXml } from '../config/hadoop-xml.ts';
import { splitAssignment } from '../config/overlays.ts';
import { parseAddress } from '../config/values.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { CommandFailure } from './failure.ts';
import { type AskedFile, checkFiles, decoded } from './files.ts';

/** What a command ends with where a setting of the job is wrong. */
const settingIsWrong = 3;

/** Adds the setting of a `-D`. @throws CommandFailure where it is none */
export function collectProperty(text: string, before: readonly SourcedSetting[] = []): SourcedSetting[] {
  try {
    const [name, value] = splitAssignment(text, '-D');
    return [...before, { name, value, source: 'from command line' }];
  } catch {
    throw new CommandFailure(`-D${text}: not KEY=VALUE`, 'Write for example -Dmapreduce.job.reduces=2.', 2);
  }
}

/** Settings of files, and a sentence for each that does not count. */
export interface FileSettings {
  readonly settings: readonly SourcedSetting[];
  readonly notes: readonly string[];
}

/**
 * The settings of files in Hadoop's form, later ones over earlier ones; none over one that is final in an earlier file or, as `isFinal` says, in
 * the cluster's (GenericOptionsParser: `conf.addResource`).
 * @throws CommandFailure for a file that is not there, ConfigurationError for one that is not such a file
 */
export function settingsOfFiles(files: readonly string[], isFinal: (name: string) => boolean): FileSettings {
  const finals = new Map<string, string>();
  const settings: SourcedSetting[] = [];
  const notes: string[] = [];
  for (const file of files) {
    const path = localFile(file);
    for (const { key, value, final } of parseHadoopXml(textOf(path, file), file, path)) {
      const name = todaysName(key);
      const fixedBy = finals.get(name) ?? (isFinal(name) ? 'the cluster’s settings' : undefined);
      if (fixedBy !== undefined) notes.push(`${file}: ${key} does not count: it is final in ${fixedBy}`);
      else settings.push({ name: key, value, source: file, ofJob: true });
      if (final && fixedBy === undefined) finals.set(name, file);
    }
  }
  return { settings, notes };
}

/** Settings by today's names; what is said last counts. */
export const settingsByName = (settings: readonly SourcedSetting[]): JobConfiguration =>
  new JobConfiguration(settings.map(({ name, value }) => [todaysName(name), value] as const));

/**
 * The files that settings name for the tasks (`mapreduce.job.cache.files` and `.archives`), to be brought as those of `--file` are; what goes with
 * the lists is written anew (Hadoop's client does so, too).
 * @throws CommandFailure for one that no node could read
 */
export function filesOfSettings(settings: readonly SourcedSetting[]): { asked: AskedFile[]; cleared: SourcedSetting[] } {
  const values = settingsByName(settings);
  const asked = cacheFileNames.flatMap(({ setting, type }) =>
    values.list(setting).map((said) => {
      const [, source, name] = /^(.+)#([^#]*)$/.exec(said) ?? [said, said, basename(said)];
      return { text: `${source}#${decoded(name!)}${type === 'ARCHIVE' ? '/' : ''}`, said: `${setting}=${said}`, exitCode: settingIsWrong };
    }),
  );
  try {
    checkFiles(asked);
  } catch (error) {
    if (error instanceof CommandFailure) throw new CommandFailure(error.message, error.remedy, settingIsWrong);
    throw error;
  }
  if (asked.length === 0) return { asked, cleared: [] };
  const cleared = cacheFileNames.flatMap(({ names }) => names.map((name) => ({ name, value: '', source: 'programmatically' })));
  return { asked, cleared };
}

function localFile(file: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(file)?.[1]?.toLowerCase();
  if (scheme === undefined) return resolve(file);
  if (scheme === 'file' && file.startsWith('file:/')) return fileURLToPath(new URL(file));
  throw new CommandFailure(`${file}: is not a file of this machine`, 'Name a file with <configuration>, as mapred-site.xml is.', 2);
}

function textOf(path: string, file: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, file), 'Name a file with <configuration>, as mapred-site.xml is.', 2);
  }
}

/** Where a job goes. */
export interface Place {
  /** Address of the resource manager's REST interface. */
  readonly url: string;
  /** `HOST:PORT` of its port for clients over Hadoop RPC. */
  readonly rpc: string;
}

const own = (address: string): string => (/^(localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?)$/i.test(address) ? 'this machine' : address);

/** Whether an address of `yarn.resourcemanager.address` (8032 where it has no port) is the resource manager's. */
function isAt(text: string, { url, rpc }: Place): boolean {
  const asked = parseAddress(text, 8032);
  if (asked === undefined) return false;
  const { hostname } = new URL(url);
  const known = parseAddress(rpc, 8032);
  return [known?.host, hostname].some((host) => host !== undefined && own(host) === own(asked.host)) && asked.port === known?.port;
}

/**
 * Looks at what a job's own settings say of where it runs and where its files lie: Hadoop's client follows them, this command is told the cluster by
 * `--cluster`. Answers sentences about what changes nothing. @throws CommandFailure where the job would go, or its files lie, elsewhere
 */
export function checkPlace(settings: readonly SourcedSetting[], place: Place): string[] {
  const last = new Map(settings.map(({ name, value }) => [todaysName(name), value.trim()]));
  const fileSystem = last.get('fs.defaultFS') ?? last.get('fs.default.name') ?? '';
  if (!/^($|local$|file:|\$)/i.test(fileSystem))
    throw new CommandFailure(
      `fs.defaultFS=${fileSystem}: paths that name no file system are folders that all nodes see`,
      'Leave it out and give input and output whole: webhdfs://HOST:9870/FOLDER, s3a://BUCKET/FOLDER, or a folder.',
      settingIsWrong,
    );
  const address = last.get('yarn.resourcemanager.address') ?? '';
  if (address !== '' && !address.includes('${') && !isAt(address, place))
    throw new CommandFailure(
      `yarn.resourcemanager.address=${address}: the job goes to the resource manager at ${place.url}`,
      'Leave it out, and name another cluster by --cluster.',
      3,
    );
  return last.get('mapreduce.framework.name') === 'local'
    ? ['mapreduce.framework.name=local: the job runs on the cluster all the same; "heddle up" starts one on this machine']
    : [];
}
