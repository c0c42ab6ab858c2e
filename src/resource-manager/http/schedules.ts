// Schedules over HTTP.
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readFlag } from '../../http/query-flag.ts';
import type { Call, Service } from '../../http/service.ts';
import { scheduleCreation } from '../../wire/cluster/schedules.ts';
import type { Caller } from '../commands/caller.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface ScheduleNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<
    Commands,
    'createSchedule' | 'listSchedules' | 'showSchedule' | 'timesOfSchedule' | 'removeSchedule' | 'pauseSchedule' | 'runSchedule'
  >;
}

const path = '/api/v1/schedules';
const one = `${path}/:user/:schedule`;

/** Adds the routes. */
export function mountSchedules(service: Service, { caller: known, commands }: ScheduleNeeds): void {
  service.route<Buffer>({
    method: 'POST',
    path,
    access: 'named',
    about: 'Makes a schedule of the caller’s: its submission is made in the caller’s name whenever the cron expression says.',
    body: 'raw',
    bodyLimitBytes: 2_000_000,
    consumes: ['json'],
    produces: ['json'],
    handle: async ({ body, caller }) => {
      const { submission, ...request } = jsonBody(scheduleCreation, body);
      const wanted = { ...request, ...(submission === undefined ? {} : { submission: JSON.stringify(submission) }) };
      return json(await commands.createSchedule(known(caller), wanted), 201);
    },
  });
  service.route({
    method: 'GET',
    path,
    access: 'overview',
    about: 'The caller’s schedules, without what they submit; with `all=true` those of everybody, for administrators.',
    produces: ['json'],
    handle: ({ caller, query }) => json({ schedules: commands.listSchedules(known(caller), readFlag(query, 'all')) }),
  });
  service.route({
    method: 'GET',
    path: '/api/v1/schedule-times',
    access: 'facts',
    about: 'The next moments of a cron expression, as a schedule would have them; nothing is made.',
    produces: ['json'],
    handle: ({ query }) => json(commands.timesOfSchedule(query.first('cron') ?? '', query.first('timeZone') ?? 'UTC')),
  });
  const ofOne = (
    method: 'GET' | 'POST' | 'DELETE',
    action: string,
    about: string,
    command: (caller: Caller, user: string, name: string) => unknown,
  ) =>
    service.route<never>({
      method,
      path: `${one}${action}`,
      access: 'named',
      about,
      produces: ['json'],
      handle: async ({ caller, params }: Call<never>) => json(await command(known(caller), params['user'] ?? '', params['schedule'] ?? '')),
    });
  ofOne('GET', '', 'One schedule: its next moments, what came of the last, and what it submits, without secrets.', commands.showSchedule);
  ofOne('DELETE', '', 'Removes a schedule; what it submitted goes on.', commands.removeSchedule);
  ofOne('POST', '/pause', 'Stops a schedule.', (...given) => commands.pauseSchedule(...given, true));
  ofOne('POST', '/resume', 'Lets a schedule go on from now; what was due meanwhile is not made up for.', (...given) =>
    commands.pauseSchedule(...given, false),
  );
  ofOne('POST', '/run', 'Submits what a schedule submits, now, whatever else of it runs.', commands.runSchedule);
}
