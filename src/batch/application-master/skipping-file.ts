// What a job's masters know of records that fail tasks, in its staging folder: a master that takes over goes on where the one before it was.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checked, fields, text } from '../../lib/json-shape.ts';
import { parseJson } from '../../lib/json-text.ts';
import { type SkippingState, skippingState } from './task-skipping.ts';

const fileName = 'skipping.jsonl';
/** One line for each failure, which begins with its line feed: what is known of the task from then on. */
const entry = fields({ taskId: text({ maxLength: 256 }), state: skippingState });

/** Adds what is known of a task now. */
export function rememberSkipping(folder: string, taskId: string, state: SkippingState): void {
  appendFileSync(join(folder, fileName), `\n${JSON.stringify({ taskId, state })}`, { mode: 0o600 });
}

/** What earlier masters knew, by task; a line that one left half written is passed over. */
export function rememberedSkipping(folder: string): ReadonlyMap<string, SkippingState> {
  const states = new Map<string, SkippingState>();
  for (const line of linesOf(join(folder, fileName))) {
    try {
      const { value, fault } = checked(entry, parseJson(line));
      if (fault === undefined) states.set(value.taskId, value.state);
    } catch {
      // half a line
    }
  }
  return states;
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
