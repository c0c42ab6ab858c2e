// Options that commands share, and the configuration they lead to.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Configuration, loadConfiguration } from '../config/load.ts';
import { splitAssignment } from '../config/overlays.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { printNote } from './output.ts';

/** Options of every command that reads settings. */
export interface ConfigurationFlags {
  readonly conf?: string;
  readonly data?: string;
  readonly set?: Readonly<Record<string, string>>;
}

/** Options of commands that talk to a running cluster. */
export interface ClusterFlags extends ConfigurationFlags {
  readonly cluster?: string;
  readonly user?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
}

/** What `--open` of the commands that start servers says, and does. */
export const openAbout = 'serve every user of this machine, whatever name they give, where callers need not prove who they are';
export const openSettings = { [heddleSettings.trustedLocalUsers.key]: '*' };

/** The folder for everything Heddle writes: `--data`, `HEDDLE_DATA`, or `.heddle` in the user's home. */
export function dataDirectory(flags: ConfigurationFlags): string {
  return resolve(flags.data ?? process.env['HEDDLE_DATA'] ?? join(homedir(), '.heddle'));
}

/** The configuration of a command; `over` lies over everything but `--set`, `above` over that, too. */
export function configurationOf(
  flags: ConfigurationFlags,
  over: Readonly<Record<string, string>> = {},
  above: Readonly<Record<string, string>> = {},
): Configuration {
  const confDir = flags.conf ?? process.env['HEDDLE_CONF'];
  return loadConfiguration({
    ...(confDir === undefined ? {} : { confDir }),
    dataDir: dataDirectory(flags),
    set: { ...over, ...flags.set, ...above },
    environment: process.env,
  });
}

/** Prints what is to be known of settings before they count: those that change nothing, and the like. */
export function printNotes({ notes }: Pick<Configuration, 'notes'>): void {
  for (const note of notes) printNote(`heddle: ${note}\n`);
}

function collectSettings(text: string, before: Record<string, string> = {}): Record<string, string> {
  try {
    const [key, value] = splitAssignment(text, '--set');
    return { ...before, [key]: value };
  } catch {
    throw new InvalidArgumentError('Write KEY=VALUE, for example yarn.acl.enable=true.');
  }
}

/** Adds `--conf`, `--data` and `--set`. */
export function withConfigurationOptions(command: Command): Command {
  return command
    .option('--conf <dir>', "folder with Hadoop's XML files or heddle.yaml (HEDDLE_CONF)")
    .option('--data <dir>', 'folder for everything Heddle writes (HEDDLE_DATA; default ~/.heddle)')
    .addOption(new Option('--set <key=value>', 'a setting, over those of files; may be repeated').argParser(collectSettings));
}

/** Adds the options of commands that talk to a running cluster. */
export function withClusterOptions(command: Command): Command {
  return withConfigurationOptions(command)
    .option(
      '--cluster <url>',
      'the resource manager\'s address, or a name of "heddle context" (HEDDLE_CLUSTER; default: what --data, then --conf says)',
    )
    .option('--user <name>', 'act as this user (default: the one logged in)')
    .option('--token-file <file>', 'prove who you are with the bearer token in this file (HEDDLE_TOKEN_FILE)')
    .option('--json', 'print JSON')
    .option('--wide', 'print tables whole, however narrow the terminal is');
}

/** A number option: whole, within bounds. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(
        maximum === Number.MAX_SAFE_INTEGER
          ? `Give a whole number of at least ${minimum}.`
          : `Give a whole number from ${minimum} to ${maximum}.`,
      );
    }
    return value;
  };
}
