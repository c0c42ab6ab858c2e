// The configuration of a process: defaults < Hadoop's files < heddle.yaml < environment < --set.
import { existsSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nearestWords } from '../lib/nearest-words.ts';
import { ownUserName } from '../lib/own-user.ts';
import { parseHadoopXml, readOptionalFile } from './hadoop-xml.ts';
import { parseYaml, readEnvironment } from './overlays.ts';
import { allSettings, familyOf } from './settings/all.ts';
import { ConfigurationError, type SettingEntry, type SettingsOf, type SettingsTable } from './table.ts';
import { readValue } from './values.ts';

/** Where a configuration comes from. `set` holds what `--set` gave; `environment` defaults to none. */
export interface ConfigurationOptions {
  /** Folder with Hadoop's XML files and perhaps heddle.yaml. */
  readonly confDir?: string;
  /** Folder that holds everything Heddle writes. */
  readonly dataDir: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Properties of an earlier reading that lie over those of files. */
  readonly over?: readonly ConfigurationProperty[];
}

/** A property with the place that set it: a file name, `heddle.yaml`, `environment …`, `command line` or `defaults`. */
export interface ConfigurationProperty {
  readonly key: string;
  /** As written; `${…}` not expanded. */
  readonly value: string;
  readonly source: string;
  readonly final: boolean;
}

/** A configuration as plain data, to be sent to a worker thread. */
export interface ConfigurationSnapshot {
  readonly confDir: string | undefined;
  readonly dataDir: string;
  readonly properties: readonly ConfigurationProperty[];
  readonly files: readonly { readonly name: string; readonly text: string; readonly properties: readonly ConfigurationProperty[] }[];
  readonly notes: readonly string[];
}

/** Files whose properties are the cluster's, in the order Hadoop loads them. */
const siteFiles = ['core-site.xml', 'mapred-site.xml', 'yarn-site.xml', 'resource-types.xml', 'node-resources.xml', 'hadoop-policy.xml'];
/** Files with properties of their own, read by the component that knows them, and the prefix that the other layers may set in them. */
const separateFiles: Record<string, string | undefined> = {
  'capacity-scheduler.xml': 'yarn.scheduler.capacity.',
  'fair-scheduler.xml': undefined,
};
/** What is said of a property that a file includes from another. */
const sourceOf = (name: string, included: string | undefined): string => (included === undefined ? name : `${name} → ${included}`);
const isSiteFile = (source: string): boolean => siteFiles.some((name) => source === name || source.startsWith(`${name} → `));
const maximumExpansions = 20; // as in Hadoop's Configuration

/** The settings of one process. Immutable. */
export class Configuration {
  readonly dataDir: string;
  readonly confDir: string | undefined;
  /** Things worth one line at start: settings that Heddle does not implement, attempts to change final ones. */
  readonly notes: readonly string[];
  readonly #properties: ReadonlyMap<string, ConfigurationProperty>;
  readonly #files: ReadonlyMap<string, { readonly text: string; readonly properties: readonly ConfigurationProperty[] }>;
  readonly #values = new Map<SettingsTable, unknown>();

  constructor(snapshot: ConfigurationSnapshot) {
    this.dataDir = snapshot.dataDir;
    this.confDir = snapshot.confDir;
    this.notes = snapshot.notes;
    this.#properties = new Map(snapshot.properties.map((property) => [property.key, property]));
    this.#files = new Map(snapshot.files.map((file) => [file.name, file]));
  }

  /** The configuration as plain data; `new Configuration(snapshot)` restores it in another thread without reading a file. */
  snapshot(): ConfigurationSnapshot {
    const files = [...this.#files].map(([name, file]) => ({ name, ...file }));
    return { confDir: this.confDir, dataDir: this.dataDir, properties: [...this.#properties.values()], files, notes: this.notes };
  }

  /** The typed values of a table. @throws ConfigurationError for a text that its type cannot read. */
  values<Table extends SettingsTable>(table: Table): SettingsOf<Table> {
    const known = this.#values.get(table);
    if (known) return known as SettingsOf<Table>;
    const values: Record<string, unknown> = {};
    for (const [name, entry] of Object.entries<SettingEntry>(table)) values[name] = this.#value(entry);
    this.#values.set(table, Object.freeze(values));
    return values as SettingsOf<Table>;
  }

  #value(entry: SettingEntry): unknown {
    if (entry.type === 'family') return this.family(entry.key);
    const property = this.#properties.get(entry.key);
    const fallback = entry.default === undefined ? undefined : this.expand(String(entry.default));
    const text = property ? this.expand(property.value) : fallback;
    const value = readValue(entry, text, property?.source ?? 'defaults', this.dataDir);
    // An empty text where a number or path is due means "not set".
    return value === undefined && property ? readValue(entry, fallback, 'defaults', this.dataDir) : value;
  }

  /** A property with defaults and `${…}` expanded; undefined where nothing sets it. */
  get(key: string): string | undefined {
    const property = this.#properties.get(key);
    if (property) return this.expand(property.value);
    const fallback = this.#builtIn(key);
    return fallback === undefined ? undefined : this.expand(fallback);
  }

  /** All keys that begin with `prefix`, without it, expanded. */
  family(prefix: string): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const { key, value } of this.#properties.values())
      if (key.startsWith(prefix) && key !== prefix) found.set(key.slice(prefix.length), this.expand(value));
    return found;
  }

  /** Every property with a value: what files and layers set, and the defaults of the tables. Texts as written. */
  properties(): ConfigurationProperty[] {
    const all = new Map<string, ConfigurationProperty>();
    for (const entry of allSettings().values()) {
      if (entry.type === 'family' || entry.default === undefined) continue;
      all.set(entry.key, { key: entry.key, value: String(entry.default), source: 'defaults', final: false });
    }
    for (const property of this.#properties.values()) all.set(property.key, property);
    return [...all.values()];
  }

  /** Where a key was set, or undefined for a default. */
  origin(key: string): ConfigurationProperty | undefined {
    return this.#properties.get(key);
  }

  /** The properties of a file of its own such as capacity-scheduler.xml, with what the site files and other layers set in it. */
  file(name: string): Map<string, string> {
    const found = new Map<string, string>();
    const prefix = separateFiles[name];
    const inSites: [string, string][] = [];
    const over: [string, string][] = [];
    if (prefix) {
      for (const { key, value, source } of this.#properties.values()) {
        if (key.startsWith(prefix)) (isSiteFile(source) ? inSites : over).push([key, value]);
      }
    }
    for (const [key, value] of inSites) found.set(key, this.expand(value));
    for (const { key, value } of this.#files.get(name)?.properties ?? []) found.set(key, this.expand(value));
    for (const [key, value] of over) found.set(key, this.expand(value));
    return found;
  }

  /** Where a key of such a file was set: its own name, or that of a layer which sets it too; undefined where nothing does. */
  originIn(name: string, key: string): string | undefined {
    const other = this.#properties.get(key)?.source;
    if (other !== undefined && !isSiteFile(other)) return other;
    return this.#files.get(name)?.properties.some((property) => property.key === key) ? name : other;
  }

  /** The text of a file of its own as it lies in `--conf` (fair-scheduler.xml has a form of its own), or undefined. */
  rawFile(name: string): string | undefined {
    return this.#files.get(name)?.text;
  }

  /** The same configuration with `name` (capacity-scheduler.xml, fair-scheduler.xml) read again from `--conf`. @throws ConfigurationError */
  withFileReadAgain(name: string): Configuration {
    if (this.confDir === undefined) return this;
    const snapshot = this.snapshot();
    const file = readSeparateFile(this.confDir, name);
    return new Configuration({ ...snapshot, files: [...snapshot.files.filter((other) => other.name !== name), ...(file ? [file] : [])] });
  }

  /**
   * Replaces `${key}` by its property, `${env.NAME}`, `${env.NAME:-text}`, `${env.NAME-text}` by the environment variable, and
   * Java's `user.name`, `user.home`, `java.io.tmpdir`; `instead` may give something else for a name. What is unknown stays as it is (Hadoop's Configuration.substituteVars).
   */
  expand(text: string, instead: (name: string) => string | undefined = () => undefined): string {
    let expanded = text;
    for (let round = 0; round < maximumExpansions && expanded.includes('${'); round++) {
      const next = expanded.replace(/\$\{([^{}$\s]+)\}/g, (whole, name: string) => instead(name) ?? this.#variable(name) ?? whole);
      if (next === expanded) break;
      expanded = next;
    }
    return expanded;
  }

  #variable(name: string): string | undefined {
    if (name.startsWith('env.')) {
      const found = /^env\.([^:-]+)(?:(:?-)(.*))?$/.exec(name);
      const value = found?.[1] === undefined ? undefined : process.env[found[1]];
      return value === undefined || (value === '' && found?.[2] === ':-') ? found?.[3] : value;
    }
    const property = this.#properties.get(name);
    return property ? property.value : this.#builtIn(name);
  }

  #builtIn(key: string): string | undefined {
    switch (key) {
      case 'user.name':
        return ownUserName();
      case 'user.home':
        return homedir();
      case 'java.io.tmpdir':
        return tmpdir();
      case 'heddle.data':
        return this.dataDir;
    }
    const value = allSettings().get(key)?.default;
    return value === undefined ? undefined : String(value);
  }
}

/**
 * Reads all layers and checks them: every value against its type, every `heddle.` key against the tables.
 * `<final>` in a Hadoop file stands against later files, heddle.yaml and the environment, not against `--set`.
 * @throws ConfigurationError naming file, key and remedy.
 */
export function loadConfiguration(options: ConfigurationOptions): Configuration {
  const confDir = options.confDir === undefined ? undefined : resolve(options.confDir);
  if (confDir !== undefined && !existsSync(confDir))
    throw new ConfigurationError(confDir, '', 'does not exist', "Give --conf a folder with Hadoop's XML files or heddle.yaml.");
  if (confDir !== undefined && !statSync(confDir).isDirectory())
    throw new ConfigurationError(confDir, '', 'is a file', 'Give --conf the folder in which the files lie.');
  const properties = new Map<string, ConfigurationProperty>();
  const notes: string[] = [];
  const put = (key: string, value: string, source: string, final: boolean, overFinal = false): void => {
    const before = properties.get(key);
    if (before?.final && !overFinal) {
      if (before.value !== value) notes.push(`${source}: ${key} is final in ${before.source}, its other value is ignored`);
      return;
    }
    properties.set(key, { key, value, source, final });
  };

  const files: ConfigurationSnapshot['files'][number][] = [];
  if (confDir !== undefined) {
    for (const name of siteFiles) {
      const path = join(confDir, name);
      const text = readOptionalFile(path);
      if (text === undefined) continue;
      for (const { key, value, final, included } of parseHadoopXml(text, name, path)) put(key, value, sourceOf(name, included), final);
    }
    for (const name of Object.keys(separateFiles)) {
      const file = readSeparateFile(confDir, name);
      if (file) files.push(file);
    }
    const yaml = readOptionalFile(join(confDir, 'heddle.yaml'));
    if (yaml !== undefined) for (const [key, value] of parseYaml(yaml, 'heddle.yaml')) put(key, value, 'heddle.yaml', false);
  }
  if (options.environment) {
    const known = [...allSettings().keys()];
    for (const [key, { value, source }] of readEnvironment(options.environment, known)) put(key, value, source, false);
  }
  for (const [key, value] of Object.entries(options.set ?? {})) put(key, value, 'command line', false, true);
  for (const { key, value, source } of options.over ?? []) put(key, value, source, false, source === 'command line');

  const unimplemented: string[] = [];
  const inert: string[] = [];
  for (const { key, source, value } of properties.values()) {
    const known = allSettings().get(key);
    if (known?.inert !== undefined && value !== String(known.default ?? '')) inert.push(`${key} (${source}): ${known.inert}`);
    if (known !== undefined || familyOf(key)) continue;
    if (key.startsWith('heddle.')) throw new ConfigurationError(source, key, 'is not a setting of Heddle', suggestion(key));
    unimplemented.push(`${key} (${source})`);
  }
  if (unimplemented.length > 0) notes.push(`settings that Heddle does not implement: ${unimplemented.sort().join(', ')}`);

  if (inert.length > 0) notes.push(`settings that change nothing here: ${inert.sort().join('; ')}`);

  const elsewhere = noteOfFileSystem(properties);
  if (elsewhere !== undefined) notes.push(elsewhere);

  const configuration = new Configuration({
    confDir,
    dataDir: resolve(options.dataDir),
    properties: [...properties.values()],
    files,
    notes,
  });
  for (const { key, value, source } of properties.values()) {
    const entry = allSettings().get(key);
    if (entry) readValue(entry, configuration.expand(value), source, configuration.dataDir);
  }
  return configuration;
}

/** Settings whose paths lie on Hadoop's default file system. */
const keysOfSharedPaths = [
  'mapreduce.jobhistory.done-dir',
  'mapreduce.jobhistory.intermediate-done-dir',
  'yarn.app.mapreduce.am.staging-dir',
  'yarn.nodemanager.remote-app-log-dir',
];

/** Paths that name no file system lie on this machine whatever the default file system is: what that means where another one is named. */
function noteOfFileSystem(properties: ReadonlyMap<string, ConfigurationProperty>): string | undefined {
  const { value = '', source } = properties.get('fs.defaultFS') ?? {};
  if (!/^\s*(?!file:)[a-z][a-z0-9+.-]*:/i.test(value)) return undefined;
  const paths = keysOfSharedPaths.flatMap((key) => {
    const path = properties.get(key)?.value.trim();
    return path === undefined || /^[a-z][a-z0-9+.-]*:/i.test(path) ? [] : [`${key}=${path}`];
  });
  const which = paths.length > 0 ? `: ${paths.join(', ')}` : '';
  return `fs.defaultFS (${source}) is ${value.trim()}, but paths that name no file system are folders here, which all machines have to see${which}`;
}

/** The configuration with its files read again; what environment and command line said stays. @throws ConfigurationError */
export function readAgain(configuration: Configuration): Configuration {
  const { confDir, dataDir, properties } = configuration.snapshot();
  const over = properties.filter(({ source }) => source === 'command line' || source.startsWith('environment '));
  return loadConfiguration({ ...(confDir === undefined ? {} : { confDir }), dataDir, over });
}

/** A file of its own; undefined where there is none. @throws ConfigurationError */
function readSeparateFile(confDir: string, name: string): ConfigurationSnapshot['files'][number] | undefined {
  const path = join(confDir, name);
  const text = readOptionalFile(path);
  if (text === undefined) return undefined;
  const found = separateFiles[name] === undefined ? [] : parseHadoopXml(text, name, path);
  const properties = found.map(({ key, value, final, included }) => ({ key, value, final, source: sourceOf(name, included) }));
  return { name, text, properties };
}

function suggestion(key: string): string {
  const nearest = nearestWords(
    key,
    [...allSettings().keys()].filter((known) => known.startsWith('heddle.')),
  )[0];
  return nearest
    ? `Did you mean ${nearest}? See "heddle config explain".`
    : 'Remove it; "heddle config show" lists the settings there are.';
}
