// The schedules, and how they submit: as their user, by the command that everybody submits by.
import { authenticationRules } from '../../config/authentication-rules.ts';
import { withoutPasswords } from '../../lib/redaction.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { ScheduledSubmission } from '../../wire/cluster/schedules.ts';
import { type PlainSubmission, plainSubmission } from '../../wire/cluster/submission.ts';
import { readStrictBody } from '../../wire/codec/read.ts';
import { publicState } from '../applications/application.ts';
import type { Cluster } from '../cluster.ts';
import type { Commands } from '../commands/commands.ts';
import type { ScheduleCommandPorts } from '../commands/schedules.ts';
import { commandSubmission } from '../commands/submit-command.ts';
import { readRun, readSubmission } from '../http/submission.ts';
import { CronMalformed, expressionFault, Occurrences } from '../schedules/occurrences.ts';
import { type KeptSchedule, ScheduleStore } from '../schedules/schedule-store.ts';
import { Schedules } from '../schedules/schedules.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { submittedWorkOf } from '../store/submitted-work.ts';
import type { BuiltSecurity } from './build-security.ts';
import type { Starting } from './starting.ts';

/** What was built. */
export interface BuiltSchedules extends Pick<ScheduleCommandPorts, 'schedules' | 'cronFault' | 'checkSubmission' | 'submitsOf'> {
  /** From here on what is due is submitted. */
  begin(cluster: Cluster, commands: Commands, security: Pick<BuiltSecurity, 'groupsOf'>): void;
}

/** The body of a submission. @throws Failure BODY_NOT_PARSABLE, BAD_REQUEST */
function readPlain(text: string): PlainSubmission {
  const body = readStrictBody(plainSubmission, Buffer.from(text)) as PlainSubmission;
  for (const member of ['application-id', 'idempotency-key'] as const)
    if (body[member] !== undefined) throw failure('BAD_REQUEST', { reason: `submission must not have ${member}: each run has its own` });
  return body;
}

/** What is submitted of a body under an id. @throws Failure for what no submission can be */
function requestOf(body: PlainSubmission, applicationId: string) {
  return { request: readSubmission({ ...body, 'application-id': applicationId }, 'unset'), run: readRun(body) };
}

/** What a schedule submits, as its user may see it. */
function submitsOf(text: string): ScheduledSubmission | undefined {
  try {
    const { request, run } = requestOf(readPlain(text), someId);
    const { type = 'YARN', launch } = run ? commandSubmission(request, run) : request;
    const work = submittedWorkOf({ type, launch });
    const { name, queue, priority, tags, applicationLabelExpression: label, reservationId, timeouts, resource } = request;
    const lifetimeSeconds = timeouts?.get('LIFETIME');
    // What comes inline is left with the resource manager when it is submitted, and has no address before.
    const files = [...(run?.files ?? [])].map(([file, { content, uri, isArchive }]) => ({
      name: file,
      archive: isArchive,
      ...(uri === undefined ? {} : { address: withoutPasswords(uri) }),
      ...(content === undefined ? {} : { bytes: content.length }),
    }));
    return {
      ...(name === undefined ? {} : { name }),
      ...(queue === undefined ? {} : { queue }),
      ...(priority === undefined || priority < 0 ? {} : { priority }),
      tags,
      ...(label ? { label } : {}),
      ...(reservationId ? { reservationId } : {}),
      ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
      ...(resource === undefined ? {} : { masterMemoryMiB: resource.memoryMiB }),
      ...(work && { work: work.run ? { ...work, run: { ...work.run, files } } : work }),
    };
  } catch (error) {
    // An earlier version took what this one does not: its runs say so.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const someId = 'application_1_0001';

/** Builds them. */
export function buildSchedules({ configuration, clock, logger, closer }: Starting, store: ResourceManagerStore): BuiltSchedules {
  const schedules = new Schedules({ store: new ScheduleStore(store), clock, logger });
  closer.add('schedules', () => schedules.close());
  const { believesNames } = authenticationRules(configuration, false);
  return {
    schedules,
    cronFault(cron, timeZone) {
      const fault = expressionFault(cron);
      if (fault !== undefined) return fault;
      try {
        return new Occurrences(cron, timeZone).after(clock.now()) === undefined ? `'${cron}' is never due` : undefined;
      } catch (error) {
        if (error instanceof CronMalformed) return error.message;
        throw error;
      }
    },
    checkSubmission(text) {
      const { request, run } = requestOf(readPlain(text), someId);
      if (run) commandSubmission(request, run);
    },
    submitsOf,
    begin(cluster, commands, { groupsOf }) {
      cluster.observe({ applicationFinished: ({ id }) => schedules.ended(id) });
      schedules.begin({
        newApplicationId: () => commands.newApplication().id,
        isLive(id) {
          const application = cluster.view.application(id);
          return application !== undefined && !isFinalApplicationState(publicState(application));
        },
        async submit(schedule: KeptSchedule, applicationId: string) {
          const { user, name, proved, submission } = schedule;
          if (!proved && !believesNames) throw failure('SCHEDULE_UNPROVED', { name, user });
          const { request, run } = requestOf(readPlain(submission), applicationId);
          const named = { ...request, name: request.name ?? name };
          const caller = {
            user,
            principal: user,
            realUser: undefined,
            authentication: undefined,
            remoteAddress: `schedule ${name}`,
            groups: () => groupsOf(user),
          };
          await (run ? commands.submitCommand(caller, named, run) : commands.submit(caller, named));
        },
      });
    },
  };
}
