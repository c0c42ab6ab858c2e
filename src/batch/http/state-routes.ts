// Ending the job, its tasks and their attempts, beyond what Hadoop's interface has: below /api/v1/jobs.
import type { Audit } from '../../auth/audit-log.ts';
import { type Answer, ok } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { taskAttemptState } from '../../wire/batch/task-attempts.ts';
import type { RunningJob, TaskAttemptView, TaskView } from '../application-master/job-view.ts';

type StateCall = Call<{ state?: string | undefined }>;

/** How these routes find what a call names; throws the refusals of the other routes. */
interface Lookup {
  viewJob(call: StateCall): RunningJob;
  viewTask(call: StateCall): TaskView;
  viewAttempt(call: StateCall): TaskAttemptView;
  may(job: RunningJob, kind: 'modify', user: string | undefined): boolean;
}

const jobPath = '/api/v1/jobs/:jobid';
const taskPath = `${jobPath}/tasks/:taskid`;

/** Mounts the routes. */
export function mountStateRoutes(service: Service, lookup: Lookup, audit: Audit): void {
  const put = (path: string, about: string, handle: (call: StateCall) => Answer) =>
    service.route<{ state?: string | undefined }>({ method: 'PUT', path, about, access: 'modify', body: taskAttemptState, handle });
  put(`${jobPath}/state`, 'Kills the job.', (call) => {
    const job = lookup.viewJob(call);
    const state = wanted(call, ['KILLED']);
    allow(call, job, { operation: 'kill job', target: job.id }, lookup, audit);
    job.killJob(`Kill job ${job.id} received from ${call.user ?? 'dr.who'} (auth:SIMPLE) at null`);
    return ok(taskAttemptState, { state });
  });
  put(`${taskPath}/state`, 'Kills a task: it is not tried again.', (call) => {
    const job = lookup.viewJob(call);
    const task = lookup.viewTask(call);
    const state = wanted(call, ['KILLED']);
    allow(call, job, { operation: 'kill task', target: task.id }, lookup, audit);
    job.killTask(task.id);
    return ok(taskAttemptState, { state });
  });
  put(`${taskPath}/attempts/:attemptid/state`, 'Kills an attempt, or lets it fail.', (call) => {
    const job = lookup.viewJob(call);
    const attempt = lookup.viewAttempt(call);
    const state = wanted(call, ['KILLED', 'FAILED']);
    const verb = state === 'KILLED' ? 'Kill' : 'Fail';
    allow(call, job, { operation: `${verb.toLowerCase()} task attempt`, target: attempt.id }, lookup, audit);
    const diagnostic = `${verb} task attempt ${attempt.id} received from ${call.user ?? 'dr.who'} (auth:SIMPLE) at null`;
    if (state === 'KILLED') job.killAttempt(attempt.id, diagnostic);
    else if (!job.failAttempt(attempt.id, diagnostic)) throw failure('ATTEMPT_NOT_RUNNING', { id: attempt.id, state: attempt.state });
    return ok(taskAttemptState, { state });
  });
}

/** @throws Failure TARGET_STATE_MISSING, TASK_TARGET_STATE_REFUSED */
function wanted({ body }: StateCall, allowed: readonly string[]): string {
  if (body.state === undefined || body.state === null) throw failure('TARGET_STATE_MISSING');
  if (!allowed.includes(body.state)) throw failure('TASK_TARGET_STATE_REFUSED');
  return body.state;
}

/** @throws Failure JOB_MODIFY_DENIED */
function allow(call: StateCall, job: RunningJob, operation: { operation: string; target: string }, lookup: Lookup, audit: Audit): void {
  if (!lookup.may(job, 'modify', call.user))
    throw audit.refused(call.caller, operation, failure('JOB_MODIFY_DENIED', { user: call.user ?? 'dr.who', id: job.id }));
  audit.changed(call.caller, operation);
}
