// Errors of the batch interfaces: the MapReduce master and, where its resources are the same, the job history server.
// Source: AMWebServices and HsWebServices of Hadoop 3.4.
import { badRequestClass, exceptionPrefix, notFoundClass } from './common.ts';
import type { ErrorEntry } from './entry.ts';

const notFound = { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix } as const;
const badRequest = { status: 400, javaClass: badRequestClass, prefix: exceptionPrefix } as const;

export const batchErrors = {
  JOB_NOT_FOUND: { ...notFound, message: 'job, {id}, is not found' },
  TASK_NOT_FOUND: { ...notFound, message: 'task not found with id {id}' },
  TASK_ATTEMPT_NOT_FOUND: { ...notFound, message: 'Error getting info on task attempt id {id}' },
  JOB_PART_ID_MALFORMED: { ...notFound, message: '{reason}', remedy: 'Give the id as it is listed: job_…, task_… or attempt_….' },
  JOB_CONFIGURATION_UNREADABLE: { ...notFound, message: 'unable to load configuration for job: {id}' },
  TASK_TYPE_UNKNOWN: { ...badRequest, message: 'tasktype must be either m or r' },
  TARGET_STATE_REFUSED: { ...badRequest, message: "Only 'KILLED' is allowed as a target state." },
  ATTEMPT_NOT_RUNNING: {
    ...badRequest,
    message: 'attempt {id} is {state}: only one that has not ended can be made to fail',
    remedy: 'See its attempts that run.',
  },
  TASK_TARGET_STATE_REFUSED: {
    ...badRequest,
    message: 'a task can be KILLED, an attempt KILLED or FAILED',
    remedy: 'Send {"state":"KILLED"}.',
  },
  TARGET_STATE_MISSING: { ...badRequest, message: 'The body needs a member state.', remedy: 'Send {"state":"KILLED"}.' },
  JOB_VIEW_DENIED: {
    status: 403,
    javaClass: 'org.apache.hadoop.security.AccessControlException',
    message: 'User {user} cannot perform operation VIEW_JOB on {id}',
    remedy: 'Ask the owner to add you to mapreduce.job.acl-view-job.',
  },
  // 404, not 403: Hadoop's filter takes every other IOException for something absent, and clients know it so.
  JOB_MODIFY_DENIED: {
    status: 404,
    javaClass: 'org.apache.hadoop.security.AccessControlException',
    message: 'User {user} cannot perform operation MODIFY_JOB on {id}',
    remedy: 'Ask the owner to add you to mapreduce.job.acl-modify-job.',
  },
} as const satisfies Record<string, ErrorEntry>;
