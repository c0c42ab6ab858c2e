// `heddle secret rotate`: a new secret for the node channel, while everything runs.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { rotateSecret } from '../auth/cluster-secret.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { parseTime } from './amounts.ts';
import { CommandFailure } from './failure.ts';
import { type ConfigurationFlags, configurationOf, withConfigurationOptions } from './options.ts';
import { formatTime, printJson, printText } from './output.ts';

interface RotateFlags extends ConfigurationFlags {
  readonly keep: string;
  readonly json?: boolean;
}

/** Registers `heddle secret …`. */
export function addSecret(program: Command): void {
  const secret = program.command('secret').description("the secret that a cluster's nodes and resource manager share");
  withConfigurationOptions(secret.command('rotate'))
    .description('put a new secret into the file; what runs takes it over by itself')
    .option('--keep <time>', 'how long the secrets before it still count: 0, 30m, 1d …', '1d')
    .option('--json', 'print JSON')
    .action(rotate);
}

function rotate(flags: RotateFlags): void {
  const keepMs = parseTime(flags.keep);
  if (keepMs === undefined || keepMs < 0)
    throw new CommandFailure(`--keep ${flags.keep}: that is no time`, 'Give for example 30m or 1d.', 2);
  const { clusterSecretFile } = configurationOf(flags).values(heddleSettings);
  if (!existsSync(clusterSecretFile))
    throw new CommandFailure(
      `there is no secret in ${clusterSecretFile}`,
      'Name the data folder of the cluster with --data; a cluster makes its secret at its first start.',
    );
  let secrets: number;
  try {
    secrets = rotateSecret(clusterSecretFile, keepMs, { clock: systemClock, random: systemRandom });
  } catch (error) {
    throw new CommandFailure(systemErrorText(error), 'Act as the user that Heddle runs as.');
  }
  if (flags.json) return printJson({ file: clusterSecretFile, secrets, keepMs });
  const older =
    secrets > 1
      ? `; ${secrets === 2 ? 'the one before it counts' : `the ${secrets - 1} before it count`} until ${formatTime(Date.now() + keepMs)} at the latest`
      : '';
  printText(`A new secret is in ${clusterSecretFile}${older}. Copy the file to every machine of the cluster before that.\n`);
}
