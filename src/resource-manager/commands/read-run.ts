// What a command that runs was asked to do: for who may change its application, since variables stand in it.
import { failure } from '../../model/errors.ts';
import type { SubmittedRun } from '../../wire/cluster/command-job.ts';
import { publicState } from '../applications/application.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, findApplication } from './find-application.ts';
import { jobOf } from './submitted-job.ts';
import { mustBeWithinToken } from './token-limits.ts';

/**
 * The run of an application of `heddle run`, or of `run` in a submission.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, RUN_READ_REFUSED, RUN_NOT_KNOWN, BEARER_…
 */
export function readRun({ applications, access, audit }: ApplicationPorts, caller: Caller, applicationId: string): SubmittedRun {
  const application = findApplication(applications, applicationId);
  const { id, user, queue, priority, submission } = application;
  const operation = 'read what a command was asked to do';
  mustBeWithinToken(audit, caller, application, operation);
  if (!access.mayModify(application, caller.user))
    throw audit.refused(caller, { operation, target: id }, failure('RUN_READ_REFUSED', { id, user: caller.user }));
  const run = jobOf(submission);
  if (run === undefined) throw failure('RUN_NOT_KNOWN', { id });
  const { name, applicationLabelExpression: label, reservationId, lifetimeSeconds, resource } = submission;
  return {
    id,
    name,
    user,
    state: publicState(application),
    queue,
    priority,
    ...(label ? { label } : {}),
    ...(reservationId === undefined ? {} : { reservationId }),
    ...(lifetimeSeconds === undefined || lifetimeSeconds < 0 ? {} : { lifetimeSeconds }),
    masterMemoryMiB: resource[0] ?? 0,
    run: { ...run, instances: application.wantedInstances ?? run.instances },
  };
}
