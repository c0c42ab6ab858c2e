// `heddle start ROLE`: one role alone in this process.

import { Argument, type Command } from 'commander';
import { authorityFileOf } from '../auth/tls-files.ts';
import { switchesUsers } from '../config/container-user.ts';
import { refuseExposure } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import type { Readiness, RunningRole } from '../lib/role.ts';
import { claimDataDirectory, waitForKilled } from './cluster-file.ts';
import { CommandFailure } from './failure.ts';
import { type RoleHost, type RoleName, roleNames } from './host.ts';
import { isSizeLeftOpen, sizeOfNode } from './node-size.ts';
import { type ConfigurationFlags, configurationOf, openAbout, openSettings, printNotes, withConfigurationOptions } from './options.ts';
import { printText } from './output.ts';
import { readinessIsKnown, watchReadiness } from './readiness.ts';
import { sayRisks } from './say-risks.ts';
import { stopSignal } from './stop-signals.ts';

interface StartFlags extends ConfigurationFlags {
  readonly json?: boolean;
  readonly open?: boolean;
}

/** Registers `heddle start`. */
export function addStart(program: Command, host: RoleHost): void {
  withConfigurationOptions(program.command('start'))
    // Completed as choices, refused in words of our own.
    .addArgument(new Argument('<role>', 'which role').choices(roleNames).argParser((role) => role))
    .option('--open', openAbout)
    .option('--json', 'print JSON')
    .description('start one role in this process, until Ctrl-C')
    .action((role: string, flags: StartFlags) => start(role, flags, host));
}

async function start(role: string, flags: StartFlags, host: RoleHost): Promise<void> {
  if (!(roleNames as readonly string[]).includes(role))
    throw new CommandFailure(`there is no role ${role}`, `Roles are ${roleNames.join(', ')}.`, 2);
  const name = role as RoleName;
  const stopping = stopSignal();
  const opened = flags.open ? openSettings : {};
  const given = configurationOf(flags, opened);
  const size = name === 'node-manager' && isSizeLeftOpen(given) ? sizeOfNode(given, 1) : undefined;
  const configuration = size ? configurationOf(flags, { ...opened, ...size }) : given;
  refuseExposure(name, configuration);
  sayRisks([name], configuration);
  await waitForKilled(configuration.dataDir, [name]);
  const isPassedThrough = name === 'node-manager' && switchesUsers(configuration);
  const claim = claimDataDirectory(configuration.dataDir, {
    command: `heddle start ${name}`,
    roles: [name],
    isCluster: false,
    isPassedThrough,
  });
  try {
    printNotes(configuration);
    const running = await host.startRole(name, configuration);
    claim.write({ [name]: running.addresses }, authorityFileOf(configuration));
    const roles = [[name, running]] as const;
    await readinessIsKnown(roles);
    tell(name, configuration, running, flags.json === true);
    watchReadiness(roles, () => tell(name, configuration, running, flags.json === true, 'again'));
    const end = await Promise.race([stopping, hopelessness(running, configuration.values(heddleSettings).refusedExitMs)]);
    await running.close();
    if (typeof end === 'object')
      throw new CommandFailure(
        end.reason,
        'Look at what answers there, and copy the cluster secret of the resource manager to this machine.',
      );
  } finally {
    claim.remove();
  }
}

/** Resolves with the reason when a role was without hope for `limitMs`; never where that is 0. */
function hopelessness({ readiness }: RunningRole, limitMs: number): Promise<{ readonly reason: string }> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const look = ({ isHopeless, reason = '' }: Readiness) => {
      if (!isHopeless || limitMs === 0) {
        clearTimeout(timer);
        timer = undefined;
      } else timer ??= setTimeout(() => resolve({ reason }), limitMs).unref();
    };
    if (readiness) look(readiness.current);
    readiness?.onChange(look);
  });
}

/** Says whether the role is ready, or what keeps it; `again`: it was said before, and is otherwise now. */
function tell(role: RoleName, configuration: Configuration, running: RunningRole, asJson: boolean, again?: 'again'): void {
  const { ready, reason } = running.readiness?.current ?? { ready: true };
  const seconds = Number((performance.now() / 1000).toFixed(2));
  if (asJson) {
    const addresses = { [role]: running.addresses };
    const said = { pid: process.pid, readySeconds: seconds, data: configuration.dataDir, addresses, ready, ...(ready ? {} : { reason }) };
    printText(`${JSON.stringify(said)}\n`);
    return;
  }
  const urls = Object.values(running.addresses);
  const place = urls.length > 0 ? ` at ${urls.join(', ')}` : '';
  const close = again ? '' : ' Stop with Ctrl-C.';
  if (ready) printText(`The ${role} is ready after ${seconds} s${place}.${close}\n`);
  else printText(`The ${role} answers${place}, but is not ready: ${reason}.${close}\n`);
}
