// `/scheduler-conf`: reading and changing the queue configuration. All failures are bare text with 400, as in Hadoop.
import { type Answer, ok, text } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { ConfigurationChange, QueueChange } from '../../scheduler/capacity/settings/mutation.ts';
import {
  type SchedulerConf,
  type SchedulerConfChange,
  schedulerConf,
  schedulerConfChange,
  schedulerConfRoots,
  schedulerConfVersion,
} from '../../wire/cluster/scheduler-conf.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface SchedulerConfNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'readQueues' | 'readQueuesVersion' | 'changeQueues' | 'validateQueues' | 'formatQueues'>;
}

const confOf = (properties: ReadonlyMap<string, string>): SchedulerConf => ({
  property: [...properties].map(([name, value]) => ({ name, value })),
});

/** Entries of a map as bodies have it; values that are absent unset. */
export const pairsOf = (map: SchedulerConfChange['global']): [string, string | undefined][] => {
  if (!map) return [];
  if (map instanceof Map) return [...map];
  return Array.isArray(map) ? map.map(([key, value]) => [key, value]) : Object.entries(map as Record<string, string>);
};

/** The change that a body asks for. @throws Failure ILLEGAL_ARGUMENT */
export function changeOf(body: SchedulerConfChange): ConfigurationChange {
  const queues = (list: SchedulerConfChange['add-queue']): QueueChange[] =>
    (list ?? []).map((change) => ({ queue: change['queue-name'], parameters: pairsOf(change.params) }));
  const global = [...pairsOf(body['global-updates']), ...pairsOf(body.global)];
  if (global.some(([key]) => key === undefined || key === null))
    throw failure('ILLEGAL_ARGUMENT', { reason: 'Property name must not be null' });
  return { remove: body['remove-queue'] ?? [], add: queues(body['add-queue']), update: queues(body['update-queue']), global };
}

/** Adds the routes of this file, below `base`. */
export function mountSchedulerConf(service: Service, { caller: known, commands }: SchedulerConfNeeds, base: string): void {
  const path = `${base}/scheduler-conf`;
  const sent = { body: schedulerConfChange, bodyRoots: schedulerConfRoots };
  service.route({
    method: 'GET',
    path,
    about: 'The queue configuration as it is stored.',
    access: 'admin',
    handle: ({ caller }) => ok(schedulerConf, confOf(commands.readQueues(known(caller)))),
  });
  service.route<SchedulerConfChange>({
    ...sent,
    method: 'PUT',
    path,
    about: 'Adds, changes and removes queues and global settings, all or nothing.',
    access: 'admin',
    async handle({ caller, body }: Call<SchedulerConfChange>): Promise<Answer> {
      await commands.changeQueues(known(caller), changeOf(body));
      return text(200, 'Configuration change successfully applied.');
    },
  });
  service.route({
    method: 'GET',
    path: `${path}/format`,
    about: 'Sets the stored configuration back to the file. Changes state although it is a GET, as in Hadoop.',
    changesByGet: () => true,
    access: 'admin',
    async handle({ caller }) {
      await commands.formatQueues(known(caller));
      return text(200, 'Configuration under store successfully formatted.');
    },
  });
  service.route({
    method: 'GET',
    path: `${path}/version`,
    about: 'How many changes the stored configuration has seen.',
    access: 'admin',
    handle: ({ caller }) => ok(schedulerConfVersion, { versionID: commands.readQueuesVersion(known(caller)) }),
  });
  service.route<SchedulerConfChange>({
    ...sent,
    method: 'POST',
    path: `${path}/validate`,
    about: 'What a change would come to; nothing is stored.',
    access: 'admin',
    handle: async ({ caller, body }: Call<SchedulerConfChange>): Promise<Answer> =>
      ok(schedulerConf, confOf(await commands.validateQueues(known(caller), changeOf(body)))),
  });
}
