// What an application was submitted with, as people read it.

/** A word for a POSIX shell. */
const quoted = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A command as one line for sh: what `sh -c` was given stays as it is. */
export function commandText(command: readonly string[]): string {
  const [shell, option, line, ...more] = command;
  if (shell === 'sh' && option === '-c' && line !== undefined && more.length === 0) return line;
  return command.map(quoted).join(' ');
}
