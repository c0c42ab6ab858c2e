// `--file`: what a command brings along. Files of this machine are left with the resource manager, so that every node can read them;
// addresses are read by the nodes themselves.
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { stageFile } from '../client/staging-client.ts';
import type { LocalResource } from '../wire/cluster/launch-context.ts';
import { type Connection, talkPatiently } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { printNote } from './output.ts';

/** How `--file` is described in each command's help. */
export const fileOptionText =
  'file to bring along: PATH, PATH#NAME, or an address that nodes can read (http:, https:, file:, webhdfs:, s3a:); archives (.zip, .tar.gz, .tgz, .tar, .jar) are unpacked with #NAME/';

/** A file as it was asked for. */
export interface AskedFile {
  /** `PATH[#NAME]` or an address. */
  readonly text: string;
  /** The option and its value as they were typed. */
  readonly said: string;
  /** What the command ends with where there is no such file; default 2. */
  readonly exitCode?: number;
}

/** One file to bring: by its path here, or by an address that nodes read. */
export interface BroughtFile {
  /** Its name in the container. */
  readonly name: string;
  readonly type: 'FILE' | 'ARCHIVE';
  readonly path?: string;
  readonly uri?: string;
  /** As of what asks for the address. */
  readonly said?: string;
  readonly exitCode?: number;
}

/** Files from this length on take so long that it is said. */
const longBytes = 64 * 2 ** 20;

/** What helps where an address names a file system that Heddle does not have. */
export const whereFilesLie = 'Name a path, or an http, https, s3a or webhdfs address: a file of HDFS is webhdfs://NAMENODE:9870/PATH.';

const isAddress = (source: string): boolean => /^(https?|file|s?webhdfs|s3[an]?):\/?/.test(source);

/** What `--file` asks for. */
export const askedByOption = (texts: readonly string[] = []): AskedFile[] => texts.map((text) => ({ text, said: `--file ${text}` }));

/** Files from `PATH[#NAME]` and addresses of `--file`. @throws CommandFailure for a file that is not there and for names that cannot be. */
export const readFiles = (texts?: readonly string[]): BroughtFile[] => readAskedFiles(askedByOption(texts));

/** Looks at files that other options ask for, before they are said as `--file`. @throws CommandFailure in the words of those */
export function checkFiles(asked: readonly AskedFile[]): void {
  readAskedFiles(asked);
  for (const { text, said } of asked) if (isAddress(text)) timeOf(text.replace(/(?<=.)#[^#]*$/, ''), said);
}

/** The same of files that other options ask for, too. @throws CommandFailure */
export function readAskedFiles(asked: readonly AskedFile[]): BroughtFile[] {
  const files = new Map<string, BroughtFile>();
  for (const { text, ...asker } of asked) {
    const { said } = asker;
    const hash = text.lastIndexOf('#');
    const source = hash > 0 ? text.slice(0, hash) : text;
    const named = hash > 0 ? text.slice(hash + 1) : '';
    const uri = isAddress(source) ? source : undefined;
    if (uri !== undefined && !URL.canParse(uri)) throw new CommandFailure(`${said}: '${source}' is no address`, undefined, 2);
    const name = named.replace(/\/$/, '') || decoded(basename(uri === undefined ? source : new URL(uri).pathname));
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new CommandFailure(`${said}: '${name}' is no file name`, 'Give the name in the container as PATH#NAME.', 2);
    if (files.has(name)) throw new CommandFailure(`${said}: there are two files ${name}`, 'Give one of them another name: PATH#NAME.', 2);
    const type = named.endsWith('/') ? 'ARCHIVE' : 'FILE';
    if (uri !== undefined) {
      files.set(name, { name, type, uri, ...asker });
      continue;
    }
    const path = resolve(source);
    const scheme = /^([a-z][a-z0-9+.-]*):\//i.exec(source)?.[1];
    if (scheme !== undefined && !existsSync(path))
      throw new CommandFailure(`${said}: nothing is read from ${scheme}: addresses`, whereFilesLie, 2);
    if (!existsSync(path))
      throw new CommandFailure(`${said}: there is no such file`, 'Give PATH or PATH#NAME of a file here, or an address.', 2);
    if (!statSync(path).isFile())
      throw new CommandFailure(`${said}: is not a file`, 'Pack a folder into an archive and give it as PATH#NAME/.', 2);
    files.set(name, { name, type, path });
  }
  return [...files.values()];
}

/** A name of an address, as it is called. */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Leaves the files with the resource manager and gives the local resources by their names. @throws CommandFailure */
export async function bringFiles(
  connection: Connection,
  applicationId: string,
  files: readonly BroughtFile[],
): Promise<Record<string, LocalResource>> {
  const resources: Record<string, LocalResource> = {};
  for (const { name, type, path, uri } of files) {
    const common = { type, visibility: 'APPLICATION' } as const;
    if (path === undefined) {
      resources[name] = { ...common, resource: uri ?? '', size: -1, timestamp: timeOf(uri ?? '', `--file ${uri}`) };
      continue;
    }
    // The archive's kind is told by its own name, not by that of the folder it becomes.
    const stagedName = type === 'ARCHIVE' ? `${name}-${basename(path)}` : name;
    const { size } = statSync(path);
    if (size >= longBytes) printNote(`heddle: leaving ${basename(path)} (${Math.round(size / 2 ** 20)} MiB) with the resource manager\n`);
    const staged = await talkPatiently(() =>
      stageFile({ url: connection.resourceManagerUrl, ...connection.credentials }, { applicationId, name: stagedName }, path),
    );
    resources[name] = { ...common, resource: staged.uri, size: staged.bytes, timestamp: -1 };
  }
  return resources;
}

/** The time that nodes shall find at a `file:` address; others name theirs or none. */
function timeOf(uri: string, said: string): number {
  if (!uri.startsWith('file:')) return -1;
  const path = decodeURIComponent(new URL(uri).pathname);
  if (!existsSync(path)) throw new CommandFailure(`${said}: there is no such file here`, 'Give PATH without file: to bring it along.', 2);
  return Math.floor(statSync(path).mtimeMs);
}
