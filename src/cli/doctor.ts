// `heddle doctor`: looks for what is unsafe about settings and a running cluster, and for damage in what it keeps, which it repairs.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Configuration } from '../config/load.ts';
import { fullDisk } from '../lib/full-disk.ts';
import { claimDataDirectory } from './cluster-file.ts';
import { setExitCode } from './exit-code.ts';
import { type Finding, problem } from './finding.ts';
import { type RoleHost, roleNames, type StoreToExamine } from './host.ts';
import { type ConfigurationFlags, configurationOf, withConfigurationOptions } from './options.ts';
import { printJson, printNote, printText } from './output.ts';

interface DoctorFlags extends ConfigurationFlags {
  readonly store?: boolean;
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Registers `heddle doctor`. */
export function addDoctor(program: Command, host: RoleHost): void {
  withConfigurationOptions(program.command('doctor'))
    .option('--store', 'look at the stores alone: pages, versions and every row')
    .option('--repair', 'set broken rows aside and save what can be read of damaged files; nothing may run on the data folder')
    .option('--json', 'print JSON')
    .description('look for what is unsafe about settings and a running cluster, and for damage in what it keeps')
    .action((flags: DoctorFlags) => doctor(flags, host));
}

/** What is told of one store. */
interface Told {
  readonly store: string;
  readonly file: string;
  readonly isThere: boolean;
  readonly version: number | undefined;
  readonly rows: number;
  readonly rejectedRows: number;
  readonly findings: readonly { readonly what: string; readonly plan: string | undefined; readonly remedy?: string }[];
  /** Of a repair. */
  readonly done: readonly string[];
}

async function doctor(flags: DoctorFlags, host: RoleHost): Promise<void> {
  const configuration = configurationOf(flags);
  const isWhole = !flags.store && !flags.repair;
  const findings = isWhole ? await unsafe(configuration) : [];
  const stores = await host.stores(configuration);
  if (!existsSync(configuration.dataDir))
    printNote(`heddle: note: there is no data folder ${configuration.dataDir}: nothing was started on it yet\n`);
  const claim = flags.repair
    ? claimDataDirectory(configuration.dataDir, { command: 'heddle doctor', roles: roleNames, isCluster: true })
    : undefined;
  try {
    const told = stores.map((store) => examined(store, flags.repair === true));
    if (flags.json) printJson(isWhole ? { findings, stores: told } : told);
    else {
      for (const finding of findings) printText(`${finding.level}: ${finding.what}\n  ${finding.remedy}\n`);
      for (const one of told) printText(`${linesOf(one, flags).join('\n')}\n`);
    }
    if (findings.some(({ level }) => level === 'problem') || told.some((one) => one.findings.length > 0)) setExitCode(1);
  } finally {
    claim?.remove();
  }
}

/** What is unsafe about the settings, this machine and the cluster that runs on the data folder. */
async function unsafe(configuration: Configuration): Promise<Finding[]> {
  const [{ findInSettings }, { findInCluster }] = await Promise.all([import('./doctor-settings.ts'), import('./doctor-cluster.ts')]);
  const full = fullDisk(configuration.dataDir);
  const disk = full === undefined ? [] : [problem(full, 'Make room: everything goes on by itself then.')];
  return [...disk, ...(await findInSettings(configuration)), ...(await findInCluster(configuration, Date.now))];
}

/** Looks at a store; with a repair, once more after it. */
function examined(store: StoreToExamine, isRepairing: boolean): Told {
  let found = store.examine();
  let done: readonly string[] = [];
  if (isRepairing && found.findings.some(({ plan }) => plan !== undefined)) {
    done = store.repair(new Date().toISOString().replace(/[:.]/g, '-'));
    found = store.examine();
  }
  const { isThere, version, rows, rejected: rejectedRows, findings } = found;
  return { store: store.name, file: store.path, isThere, version, rows, rejectedRows, findings, done };
}

function linesOf({ store, file, isThere, version, rows, rejectedRows, findings, done }: Told, flags: DoctorFlags): string[] {
  const repaired = done.map((sentence) => `  repaired: ${sentence}`);
  const aside = rejectedRows > 0 ? `, ${rejectedRows} rows set aside` : '';
  if (findings.length === 0)
    return [`${file}: ${isThere ? `sound (${store}, schema ${version}, ${rows} rows${aside})` : `not there (${store})`}`, ...repaired];
  return [
    ...findings.flatMap(({ what, plan, remedy = 'It cannot be repaired here.' }) => [
      `${file}: ${what}`,
      plan === undefined ? `  ${remedy}` : `  ${flags.repair ? 'Left' : 'With --repair'}: ${plan}`,
    ]),
    ...repaired,
  ];
}
