// `heddle start ROLE`: one role alone in this process.
import { type Command, Option } from 'commander';
import { refuseExposure } from '../config/exposure.ts';
import { claimDataDirectory, waitForKilled } from './cluster-file.ts';
import { CommandFailure } from './failure.ts';
import { type RoleHost, type RoleName, roleNames } from './host.ts';
import { type ConfigurationFlags, configurationOf, withConfigurationOptions } from './options.ts';
import { stopSignal } from './stop-signals.ts';

/** Registers `heddle start`. */
export function addStart(program: Command, host: RoleHost): void {
  withConfigurationOptions(program.command('start'))
    .argument('<role>', `one of ${roleNames.join(', ')}`)
    .description('start one role in this process, until Ctrl-C')
    .addOption(new Option('--ports <which>').hideHelp())
    .action((role: string, flags: ConfigurationFlags) => start(role, flags, host));
}

async function start(role: string, flags: ConfigurationFlags, host: RoleHost): Promise<void> {
  if (!(roleNames as readonly string[]).includes(role))
    throw new CommandFailure(`there is no role ${role}`, `Roles are ${roleNames.join(', ')}.`, 2);
  const name = role as RoleName;
  const stopping = stopSignal();
  const configuration = configurationOf(flags);
  refuseExposure(name, configuration);
  await waitForKilled(configuration.dataDir, `${name}.json`);
  const claim = claimDataDirectory(configuration.dataDir, `${name}.json`);
  try {
    for (const note of configuration.notes) process.stderr.write(`heddle: ${note}\n`);
    const running = await host.startRole(name, configuration);
    claim.write({ [name]: running.addresses });
    const urls = Object.values(running.addresses);
    process.stdout.write(
      `The ${name} is ready after ${(performance.now() / 1000).toFixed(2)} s${urls.length > 0 ? ` at ${urls.join(', ')}` : ''}. Stop with Ctrl-C.\n`,
    );
    await stopping;
    await running.close();
  } finally {
    claim.remove();
  }
}
