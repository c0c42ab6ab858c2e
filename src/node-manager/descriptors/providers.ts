// What a node says of itself: its label and attributes, from its settings or from a script that is run again and again
// (ConfigurationNodeLabelsProvider, ScriptBasedNodeLabelsProvider and the same for attributes).
import { spawn } from 'node:child_process';
import { type DescriptorScript, type DescriptorSources, parseAttributes } from '../../config/node-descriptors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { NodeDescriptors, ReportedAttribute } from '../../wire/cluster/node-channel.ts';

/** The latest facts. */
export interface Descriptors {
  readonly current: NodeDescriptors;
  stop(): void;
}

const longestOutput = 1024 * 1024;

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

/** Begins; `changed` hears facts that differ from those before. */
export function startDescriptors(
  { labels, attributes }: DescriptorSources,
  { clock, logger, changed }: { clock: Clock; logger: Logger; changed: (descriptors: NodeDescriptors) => void },
): Descriptors {
  let current: NodeDescriptors = {
    ...(labels && 'configured' in labels ? { labels: labels.configured } : {}),
    ...(attributes && 'configured' in attributes ? { attributes: attributes.configured } : {}),
  };
  const repetitions: Repetition[] = [];
  const take = (facts: NodeDescriptors): void => {
    const next = { ...current, ...facts };
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    changed(current);
  };
  const follow = (script: DescriptorScript, about: 'labels' | 'attributes', read: (output: string) => NodeDescriptors): void => {
    const repetition = repeat({
      clock,
      firstMs: 0,
      intervalMs: script.intervalMs < 1 ? Number.POSITIVE_INFINITY : script.intervalMs,
      async run(closing) {
        const output = await runScript(script, closing);
        if (!closing.aborted) take(read(output));
      },
      // What was known before stays.
      failed: (error) => logger.warn({ err: error, about, script: script.path }, 'a script about this node gave no answer'),
    });
    repetitions.push(repetition);
  };
  if (labels && 'script' in labels) follow(labels.script, 'labels', (output) => ({ labels: labelOfOutput(output) }));
  if (attributes && 'script' in attributes)
    follow(attributes.script, 'attributes', (output) => ({ attributes: attributesOfOutput(output) }));
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
function runScript({ path, scriptArguments, timeoutMs }: DescriptorScript, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, scriptArguments, {
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
