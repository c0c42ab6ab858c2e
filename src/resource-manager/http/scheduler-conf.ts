// `/scheduler-conf`: reading and changing the queue configuration. All failures are bare text with 400, as in Hadoop.

import { type Answer, ok, text } from '../../http/answers.ts';
import type { Route } from '../../http/service.ts';
import type { ConfigurationChange, QueueChange } from '../../scheduler/capacity/settings/mutation.ts';
import { ChangeRefused } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused } from '../../scheduler/policy.ts';
import {
  type SchedulerConf,
  type SchedulerConfChange,
  schedulerConf,
  schedulerConfChange,
  schedulerConfRoots,
  schedulerConfVersion,
} from '../../wire/cluster/scheduler-conf.ts';
import type { QueueConfiguration } from '../queue-configuration.ts';
import type { Parts } from './parts.ts';

const confOf = (properties: ReadonlyMap<string, string>): SchedulerConf => ({
  property: [...properties].map(([name, value]) => ({ name, value })),
});

const pairsOf = (map: SchedulerConfChange['global']): [string, string | undefined][] => {
  if (!map) return [];
  if (map instanceof Map) return [...map];
  return Array.isArray(map) ? map.map(([key, value]) => [key, value]) : Object.entries(map as Record<string, string>);
};

function changeOf(body: SchedulerConfChange): ConfigurationChange {
  const queues = (list: SchedulerConfChange['add-queue']): QueueChange[] =>
    (list ?? []).map((change) => ({ queue: change['queue-name'], parameters: pairsOf(change.params) }));
  return {
    remove: body['remove-queue'] ?? [],
    add: queues(body['add-queue']),
    update: queues(body['update-queue']),
    global: [...pairsOf(body['global-updates']), ...pairsOf(body.global)],
  };
}

/** Runs what may be refused; the refusal's sentence becomes the answer. */
async function refusable(run: () => Promise<Answer> | Answer, wrap: (message: string) => string): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigurationRefused) return text(400, wrap(`Failed to re-init queues : ${error.message}`));
    if (error instanceof ChangeRefused) return text(400, wrap(error.message));
    throw error;
  }
}

/** The routes of this file, below `base`. */
export function schedulerConfRoutes(parts: Parts, store: QueueConfiguration, base: string): Route<never>[] {
  const { access, audit, policy, caller: known } = parts;
  const path = `${base}/scheduler-conf`;
  return [
    {
      method: 'GET',
      path,
      about: 'The queue configuration as it is stored.',
      handle: ({ caller }) => {
        access.administrator(known(caller), 'read the scheduler configuration');
        if (store.mutable) return ok(schedulerConf, confOf(store.properties()));
        return text(
          400,
          `This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath scheduler ${policy.names.className} is not an instance of MutableConfScheduler`,
        );
      },
    },
    {
      method: 'PUT',
      path,
      body: schedulerConfChange,
      bodyRoots: schedulerConfRoots,
      about: 'Adds, changes and removes queues and global settings, all or nothing.',
      handle: ({ caller, body }: { caller: Parameters<typeof known>[0]; body: SchedulerConfChange }) => {
        access.administrator(known(caller), 'change the scheduler configuration');
        if (!policy.queueEditing) return text(400, 'Configuration change only supported by MutableConfScheduler.');
        if (!store.mutable) return text(400, 'Configuration change only supported by mutable configuration store.');
        return refusable(
          async () => {
            await store.change(changeOf(body));
            audit.changed(caller, { operation: 'change the scheduler configuration', target: 'queues' });
            return text(200, 'Configuration change successfully applied.');
          },
          (message) => message,
        );
      },
    } as unknown as Route<never>,
    {
      method: 'GET',
      path: `${path}/format`,
      about: 'Sets the stored configuration back to the file. Changes state although it is a GET, as in Hadoop.',
      handle: async ({ caller }) => {
        access.administrator(known(caller), 'format the scheduler configuration');
        if (!store.mutable) return text(400, 'Scheduler Configuration format only supported by MutableConfScheduler');
        await store.format();
        audit.changed(caller, { operation: 'format the scheduler configuration', target: 'queues' });
        return text(200, 'Configuration under store successfully formatted.');
      },
    },
    {
      method: 'GET',
      path: `${path}/version`,
      about: 'How many changes the stored configuration has seen.',
      handle: ({ caller }) => {
        access.administrator(known(caller), 'read the scheduler configuration');
        if (!store.mutable) return text(400, 'Configuration Version only supported by MutableConfScheduler.');
        return ok(schedulerConfVersion, { versionID: store.version });
      },
    },
    {
      method: 'POST',
      path: `${path}/validate`,
      body: schedulerConfChange,
      bodyRoots: schedulerConfRoots,
      about: 'What a change would come to; nothing is stored.',
      handle: ({ caller, body }: { caller: Parameters<typeof known>[0]; body: SchedulerConfChange }) => {
        access.administrator(known(caller), 'validate a scheduler configuration');
        if (!store.mutable) return text(400, 'Configuration change validation only supported by MutableConfScheduler.');
        return refusable(
          () => ok(schedulerConf, confOf(store.validate(changeOf(body)))),
          (message) => `CapacityScheduler configuration validation failed:java.io.IOException: ${message}`,
        );
      },
    } as unknown as Route<never>,
  ];
}
