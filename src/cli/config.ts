// `heddle config check|show|explain`.
import type { Command } from 'commander';
import { refuseExposure } from '../config/exposure.ts';
import { environmentName } from '../config/overlays.ts';
import { aboutInWords, entryOf, typeInWords } from '../config/setting-facts.ts';
import { allSettings, settingsTables } from '../config/settings/all.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { redactionOf, shownValue } from '../config/shown.ts';
import { ConfigurationError } from '../config/table.ts';
import { nearestWords } from '../lib/nearest-words.ts';
import { addClientFiles } from './client-files.ts';
import { CommandFailure } from './failure.ts';
import { type ConfigurationFlags, configurationOf, withConfigurationOptions } from './options.ts';
import { printFacts, printJson, printNote, printTable, printText } from './output.ts';

type Flags = ConfigurationFlags & { readonly json?: boolean; readonly all?: boolean };

/** Registers `heddle config …`. */
export function addConfig(program: Command): void {
  const config = program.command('config').description('check and explain settings');
  withConfigurationOptions(config.command('check'))
    .option('--json', 'print JSON')
    .description('check all settings without starting anything')
    .action(check);
  withConfigurationOptions(config.command('show'))
    .option('--all', 'also those that have their default')
    .option('--json', 'print JSON')
    .description('print settings with the place each comes from')
    .action(show);
  withConfigurationOptions(config.command('explain').argument('<key>', 'its full name'))
    .option('--json', 'print JSON')
    .description('say what a setting means, what it is and where that comes from')
    .action(explain);
  addClientFiles(config);
}

async function check(flags: Flags): Promise<void> {
  const configuration = configurationOf(flags);
  const { unreadableSettings } = await import('./unreadable-settings.ts');
  for (const role of [...configuration.values(heddleSettings).roles, 'proxy']) refuseExposure(role, configuration);
  const faults = await unreadableSettings(configuration);
  for (const fault of faults.slice(0, -1)) printNote(`heddle: ${fault.message}\n`);
  if (faults.length > 0) throw faults.at(-1)!;
  const { checkQueues } = await import('../simulation/check-queues.ts');
  const notes = [...configuration.notes, ...checkQueues(configuration)].filter((note) => note !== '');
  if (flags.json) {
    printJson({ valid: true, notes });
    return;
  }
  for (const note of notes) printText(`note: ${note}\n`);
  printText('The settings are valid.\n');
}

const hidden = '(hidden)';

function show(flags: Flags): void {
  const configuration = configurationOf(flags);
  const redaction = redactionOf(configuration);
  const properties = configuration
    .properties()
    .filter(({ source }) => flags.all || source !== 'defaults')
    .sort((left, right) => left.key.localeCompare(right.key))
    .map(({ key, value, source, final }) => ({ key, value: shownValue(configuration, redaction, key, value, hidden), source, final }));
  if (flags.json) {
    printJson(properties);
    return;
  }
  if (properties.length === 0) printText('All settings have their defaults; --all shows them.\n');
  else
    printTable(
      ['KEY', 'VALUE', 'FROM'],
      properties.map(({ key, value, source, final }) => [key, value.replace(/\s+/g, ' '), final ? `${source} (final)` : source]),
    );
}

/** A key that no table has: what the files say of it, or nothing. @throws CommandFailure where nothing sets it */
function explainOther(key: string, flags: Flags): void {
  const configuration = configurationOf(flags);
  const origin = configuration.origin(key);
  const near = nearestWords(key, [...allSettings().keys()]).slice(0, 3);
  const remedy = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"heddle config show --all" lists them.';
  if (origin === undefined) throw new CommandFailure(`there is no setting ${key}`, remedy);
  const facts = {
    key,
    about: `Heddle does not implement it; other settings can refer to it as \${${key}}.${near.length > 0 ? ` ${remedy}` : ''}`,
    value: shownValue(configuration, redactionOf(configuration), key, origin.value, hidden),
    source: origin.source,
  };
  if (flags.json) printJson(facts);
  else
    printFacts([
      ['setting', facts.key],
      ['meaning', facts.about],
      ['value', facts.value],
      ['from', facts.source],
    ]);
}

function explain(key: string, flags: Flags): void {
  const entry = entryOf(key);
  if (!entry) {
    explainOther(key, flags);
    return;
  }
  let configuration: ReturnType<typeof configurationOf>;
  try {
    configuration = configurationOf(flags);
  } catch (error) {
    if (error instanceof ConfigurationError && error.key !== key) printNote(`heddle: ${error.message}\n`);
    configuration = configurationOf({ ...(flags.data === undefined ? {} : { data: flags.data }) });
  }
  const origin = configuration.origin(key);
  const value = configuration.get(key);
  const component = Object.entries(settingsTables).find(([, table]) => Object.values(table).includes(entry))?.[0];
  const facts = {
    key,
    about: aboutInWords(entry),
    type: typeInWords(entry),
    default: entry.default === undefined ? undefined : String(entry.default),
    value: value === undefined ? undefined : shownValue(configuration, redactionOf(configuration), key, origin?.value ?? value, hidden),
    source: origin?.source ?? (value === undefined ? 'not set' : 'defaults'),
    component,
    reloadable: entry.reloadable ?? false,
    environment: entry.type === 'family' ? undefined : environmentName(key),
  };
  if (flags.json) {
    printJson(facts);
    return;
  }
  printFacts([
    ['setting', facts.key],
    ['meaning', facts.about],
    ['read as', facts.type],
    ['default', facts.default],
    ['value', facts.value],
    ['from', facts.source],
    ['read by', facts.component],
    ['changes', facts.reloadable ? 'take effect without a restart' : 'take effect after a restart'],
    ['variable', facts.environment],
  ]);
}
