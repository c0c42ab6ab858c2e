// Arguments of the project's own commands: what is wrong with them is said in one line with the usage, and --help prints it.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The options of a command; ends the process for `--help` (0) and for what it does not know (2). */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
    const parsed = parseArgs({ ...config, options });
    if ((parsed.values as { help?: boolean }).help !== true) return parsed as unknown as ReturnType<typeof parseArgs<T>>;
    console.log(`usage: ${usage}`);
    process.exit(0);
  } catch (error) {
    const [problem] = (error as Error).message.split('. ');
    console.error(`${problem}.\nusage: ${usage}`);
    process.exit(2);
  }
}
