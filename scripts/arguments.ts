// Arguments of the project's own commands: what is wrong with them is said in one line with the usage, and --help prints it.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Ends the process (2) with what is wrong and the usage. */
export function refuseArguments(usage: string, problem: string): never {
  console.error(`${problem}.\nusage: ${usage}`);
  process.exit(2);
}

/** The options of a command; ends the process for `--help` (0) and for what it does not know (2). */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
    const parsed = parseArgs({ ...config, options });
    if ((parsed.values as { help?: boolean }).help !== true) return parsed as unknown as ReturnType<typeof parseArgs<T>>;
  } catch (error) {
    const [problem = ''] = (error as Error).message.split('. ');
    refuseArguments(usage, problem);
  }
  console.log(`usage: ${usage}`);
  process.exit(0);
}

/** The number that an option was given; ends the process (2) where it is none, is below the least (1 unless told), or is not whole where it has to be. */
export function numberOption(
  usage: string,
  name: string,
  text: string,
  { least = 1, isWhole = true }: { readonly least?: number; readonly isWhole?: boolean } = {},
): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= least && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value))) return value;
  return refuseArguments(usage, `--${name} is "${text}", and has to be a ${isWhole ? 'whole ' : ''}number from ${least} on`);
}

/** The names that a command was given, all of them where none was; ends the process (2) for one that there is not. */
export function chosenNames(usage: string, what: string, given: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) refuseArguments(usage, `There is no ${what} "${unknown}": there are ${known.join(', ')}`);
  return given.length > 0 ? known.filter((name) => given.includes(name)) : known;
}
