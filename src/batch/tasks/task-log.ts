// The own log of a task or master: the file `syslog` beside its standard output, as Hadoop's have it.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';

/** Writes one line. */
export type TaskLog = (message: string) => void;

/** Opens the log in a container's log folder; without a folder nothing is written. */
export function openTaskLog(folder: string | undefined, clock: Clock): TaskLog {
  if (folder === undefined || folder === '') return () => {};
  const path = join(folder, 'syslog');
  return (message) => {
    const time = new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '').replace('.', ',');
    try {
      appendFileSync(path, `${time} INFO ${message}\n`, { mode: 0o640 });
    } catch {
      // a log that cannot be written must not fail the task
    }
  };
}

/** Writes down what a logger tells, too: takes a line of its JSON and gives it back. Levels, times and the logger's name stay out. */
export function noted(log: TaskLog): (line: string) => string {
  return (line) => {
    const { msg, level: _level, time: _time, name: _name, ...facts } = JSON.parse(line) as Record<string, unknown>;
    log(Object.keys(facts).length === 0 ? `${msg}` : `${msg} ${JSON.stringify(facts)}`);
    return line;
  };
}
