// What the environment of a command in a terminal has beside the container's own.

/** Names by which a program knows its letters (POSIX.1-2017, 8.2), the first of them first. */
const localeVariables = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const;

/**
 * The type of the terminal, and letters of UTF-8 where the container says nothing of any: a terminal sends those, and without it a shell does not
 * know that several bytes are one.
 */
export function terminalVariables(
  environment: Readonly<Record<string, string>>,
  terminal: { readonly type: string } | undefined,
): Readonly<Record<string, string>> {
  if (terminal === undefined) return {};
  const hasLocale = localeVariables.some((name) => environment[name]);
  return { TERM: terminal.type, ...(hasLocale ? {} : { LANG: 'C.UTF-8' }) };
}
