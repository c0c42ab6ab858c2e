// `PUT /api/v1/applications/{appid}/instances`: how many instances a run is to have.
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Service } from '../../http/service.ts';
import { type WantedInstances, wantedInstances } from '../../wire/cluster/command-job.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What this route works with. */
export interface RunInstancesNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'setInstances'>;
}

/** Adds the route. */
export function mountRunInstances(service: Service, { caller: known, commands }: RunInstancesNeeds): void {
  service.route<Buffer>({
    method: 'PUT',
    path: '/api/v1/applications/:appid/instances',
    access: 'modify',
    about: 'Changes how many instances a command that runs is to have; for who may change its application.',
    body: 'raw',
    consumes: ['json'],
    produces: ['json'],
    handle: async ({ body, caller, params }) => {
      const { instances } = jsonBody(wantedInstances, body);
      const wanted = await commands.setInstances(known(caller), params['appid'] ?? '', instances);
      return json({ instances: wanted } satisfies WantedInstances);
    },
  });
}
