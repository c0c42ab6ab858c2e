// The queue file that a command is given: itself, its folder, or that of --conf.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailure } from './failure.ts';
import { type ConfigurationFlags, configurationOf } from './options.ts';

/** What commands say of such an argument. */
export const queueFileText = 'a queue file, or its folder (default: that of --conf)';

const names = ['capacity-scheduler.xml', 'fair-scheduler.xml'];
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * Where the file lies. Of a folder it is the one that the scheduler of its settings reads, or the only one that is there.
 * @throws CommandFailure where there is none
 */
export async function queueFileOf(given: string | undefined, flags: ConfigurationFlags): Promise<string> {
  const folder = given === undefined ? undefined : resolve(given);
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return folder;
  const configuration = configurationOf(folder === undefined ? flags : { ...flags, conf: folder });
  const place = configuration.confDir;
  const { ownQueueFile } = await import('../simulation/check-queues.ts');
  const own = ownQueueFile(configuration);
  const found = [own, ...names.map((name) => place && join(place, name))].find((path) => path !== undefined && isFile(path));
  if (found !== undefined) return found;
  if (place === undefined) throw new CommandFailure('no queue file is named', 'Name one, or its folder, or give --conf DIR.', 2);
  throw new CommandFailure(`${given ?? place}: there is no queue file in it`, `Schedulers read ${names.join(' and ')}.`, 2);
}
