// What a node says of itself: its label and attributes, from its settings or from a script that is run again and again
// (ConfigurationNodeLabelsProvider, ScriptBasedNodeLabelsProvider and the same for attributes).
import { spawn } from 'node:child_process';
import { ConfigurationError } from '../../config/table.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { NodeDescriptors, ReportedAttribute } from '../../wire/cluster/node-channel.ts';

/** Where one kind of facts comes from. */
export interface ProviderSettings {
  /** `config`, `script`, or the name of Hadoop's class of either; undefined: nothing is said. */
  readonly provider: string | undefined;
  readonly configured: string | undefined;
  readonly script: string | undefined;
  readonly scriptArguments: readonly string[];
  /** Time between two runs of the script; less than 1: it is run once. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export interface DescriptorSettings {
  readonly labels: ProviderSettings;
  readonly attributes: ProviderSettings;
}

/** The latest facts. */
export interface Descriptors {
  readonly current: NodeDescriptors;
  stop(): void;
}

const labelsKey = 'yarn.nodemanager.node-labels.provider';
const attributesKey = 'yarn.nodemanager.node-attributes.provider';
const longestOutput = 1024 * 1024;
const nameForm = /^[0-9a-zA-Z][0-9a-zA-Z\-_.]{0,254}$/;

type Kind = 'config' | 'script' | undefined;

/** `Script…Provider`, as Hadoop's classes are named. */
const namesProvider = (provider: string, kind: string): boolean => provider.endsWith('Provider') && provider.includes(kind);

function kindOf(key: string, { provider, script }: ProviderSettings): Kind {
  if (!provider) return undefined;
  if (provider === 'config' || namesProvider(provider, 'Configuration')) return 'config';
  if (provider !== 'script' && !namesProvider(provider, 'Script'))
    throw new ConfigurationError('the settings of the node manager', key, `${provider} is no provider`, 'Write config or script.');
  if (!script) throw new ConfigurationError('the settings of the node manager', key, 'the script is not named', `Set ${key}.script.path.`);
  return 'script';
}

/** `name,type,value:name,type,value`, or one of them. @throws Error with the fault */
export function parseAttributes(text: string): ReportedAttribute[] {
  const attributes = text
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const pieces = part.split(',').map((piece) => piece.trim());
      const [name = '', type = '', value = ''] = pieces;
      if (pieces.length !== 3) throw new Error(`Malformed attribute, expecting name,type,value but get ${part}`);
      if (!nameForm.test(name))
        throw new Error(`attribute name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= ${name}`);
      if (type !== 'STRING') throw new Error(`the type of attribute ${name} must be STRING but is ${type}`);
      return { name, type, value };
    });
  if (new Set(attributes.map(({ name }) => name)).size < attributes.length) throw new Error(`an attribute stands twice in ${text}`);
  return attributes;
}

/** The label in what a script wrote: the last line `NODE_PARTITION:label`; no line: none. */
export function labelOfOutput(output: string): string[] {
  const label = output
    .split('\n')
    .flatMap((line) => (line.startsWith('NODE_PARTITION:') ? [line.slice('NODE_PARTITION:'.length).trim()] : []))
    .at(-1);
  return label ? [label] : [];
}

/** The attributes in what a script wrote: lines `NODE_ATTRIBUTE:name,type,value`. @throws Error with the fault */
export function attributesOfOutput(output: string): ReportedAttribute[] {
  const lines = output.split('\n').filter((line) => line.startsWith('NODE_ATTRIBUTE:'));
  return parseAttributes(lines.map((line) => line.slice('NODE_ATTRIBUTE:'.length)).join(':'));
}

/** Begins; `changed` hears facts that differ from those before. @throws ConfigurationError for settings that cannot be followed */
export function startDescriptors(
  { labels, attributes }: DescriptorSettings,
  { clock, logger, changed }: { clock: Clock; logger: Logger; changed: (descriptors: NodeDescriptors) => void },
): Descriptors {
  let current: NodeDescriptors = {};
  const repetitions: Repetition[] = [];
  const labelKind = kindOf(labelsKey, labels);
  const attributeKind = kindOf(attributesKey, attributes);
  if (labelKind === 'config') current = { ...current, labels: labels.configured?.trim() ? [labels.configured.trim()] : [] };
  if (attributeKind === 'config') {
    try {
      current = { ...current, attributes: parseAttributes(attributes.configured ?? '') };
    } catch (error) {
      throw new ConfigurationError(
        'the settings of the node manager',
        `${attributesKey}.configured-node-attributes`,
        (error as Error).message,
        'Write name,STRING,value:name,STRING,value.',
      );
    }
  }
  const take = (facts: NodeDescriptors): void => {
    const next = { ...current, ...facts };
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    changed(current);
  };
  const follow = (settings: ProviderSettings, key: string, read: (output: string) => NodeDescriptors): void => {
    const repetition = repeat({
      clock,
      firstMs: 0,
      intervalMs: settings.intervalMs < 1 ? Number.POSITIVE_INFINITY : settings.intervalMs,
      async run(closing) {
        const output = await runScript(settings, closing);
        if (!closing.aborted) take(read(output));
      },
      // What was known before stays.
      failed: (error) => logger.warn({ err: error, setting: key, script: settings.script }, 'a script about this node gave no answer'),
    });
    repetitions.push(repetition);
  };
  if (labelKind === 'script') follow(labels, labelsKey, (output) => ({ labels: labelOfOutput(output) }));
  if (attributeKind === 'script') follow(attributes, attributesKey, (output) => ({ attributes: attributesOfOutput(output) }));
  return {
    get current() {
      return current;
    },
    stop() {
      for (const repetition of repetitions) void repetition.close();
    },
  };
}

/** What the script writes. Rejects when it fails, takes too long, or cannot be run. */
function runScript({ script, scriptArguments, timeoutMs }: ProviderSettings, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(script!, scriptArguments, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      signal,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < longestOutput) output += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code, killed) => {
      if (code === 0) resolve(output);
      else reject(new Error(killed ? `it was ended by ${killed} after ${timeoutMs} ms` : `it ended with exit code ${code}`));
    });
  });
}
