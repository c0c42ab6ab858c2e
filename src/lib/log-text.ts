// Log lines for people: time, level, name, sentence, then what stands in fields beside it.
import { printable } from './printable.ts';

const levels: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };
const leading = new Set(['level', 'time', 'name', 'msg']);

/** One line of JSON as people read it; what is no line of the logger's stays as it is. What would steer the terminal is replaced. */
export function textOfLine(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, name, msg } = fields;
  const at = typeof time === 'number' ? new Date(time).toISOString().replace('T', ' ') : '';
  const rest = Object.entries(fields)
    .filter(([key]) => !leading.has(key))
    .map(([key, value]) => `${key}=${valueText(key, value)}`);
  const named = name === undefined ? [] : [String(name).padEnd(16)];
  const said = [at, (levels[Number(level)] ?? String(level)).padEnd(5), ...named, String(msg ?? ''), ...rest];
  return `${printable(said.join('  ').trimEnd(), true)}\n`;
}

/** An error has its stack, on lines of its own. */
function valueText(key: string, value: unknown): string {
  if (key === 'err' && typeof value === 'object' && value !== null && 'stack' in value) return `${String(value.stack)}`;
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}
