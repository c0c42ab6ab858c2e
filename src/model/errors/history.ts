// Errors of the history interfaces. Source: HsWebServices, LogServlet, LogWebServiceUtils of Hadoop 3.4.
import { badRequestClass, exceptionPrefix, notFoundClass } from './common.ts';
import type { ErrorEntry } from './entry.ts';

const notFound = { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix } as const;
const badRequest = { status: 400, javaClass: badRequestClass, prefix: exceptionPrefix } as const;
const illegalArgument = { status: 400, javaClass: 'java.lang.IllegalArgumentException' } as const;
const accessControlClass = 'org.apache.hadoop.security.AccessControlException';

export const historyErrors = {
  HISTORY_LIMIT_NOT_A_NUMBER: { ...badRequest, message: 'For input string: "{value}"', remedy: 'Give limit as a whole number above 0.' },
  HISTORY_LIMIT_TOO_SMALL: { ...badRequest, message: 'limit value must be greater then 0' },
  HISTORY_FILTER_NOT_A_NUMBER: {
    ...badRequest,
    message: 'Invalid number format: For input string: "{value}"',
    remedy: 'Give times in ms since 1970.',
  },
  HISTORY_FILTER_NEGATIVE: { ...badRequest, message: '{name} must be greater than 0' },
  HISTORY_FILTER_RANGE: { ...badRequest, message: '{end} must be greater than {begin}' },
  HISTORY_STATE_UNKNOWN: {
    ...illegalArgument,
    message: 'No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState.{value}',
    remedy: 'Use NEW, INITED, RUNNING, SUCCEEDED, FAILED, KILLED or ERROR.',
  },
  HISTORY_TASK_ID_MALFORMED: { ...illegalArgument, message: '{reason}' },
  HISTORY_JOB_NOT_LOADED: {
    ...notFound,
    message: 'The tasks of {id} are not loaded: it has more than mapreduce.jobhistory.loadedjob.tasks.max allows.',
    remedy: 'Raise the setting, or read the history file.',
  },
  HISTORY_UNREADABLE: {
    status: 503,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnRuntimeException',
    message: 'java.io.IOException: Could not {what} history file {path}',
    remedy: 'Look at the file; it may have been removed or damaged.',
  },
  HISTORY_EXCEEDS_LIMIT: {
    status: 503,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnRuntimeException',
    message: 'java.io.IOException: Could not load history file {path}: it has {what}, and this server reads at most {most}',
    remedy: 'Raise heddle.history.maximum-loaded-size for longer files, and --max-old-space-size in NODE_OPTIONS for more tasks.',
  },
  HISTORY_ADMINISTRATION_REFUSED: {
    status: 403,
    javaClass: accessControlClass,
    message: "User {user} doesn't have permission to call '{operation}'",
    remedy: 'Ask to be added to mapreduce.jobhistory.admin.acl.',
  },
  LOGS_ID_MISSING: { ...illegalArgument, message: 'Should set application id, application attempt id or container id.' },
  LOGS_ID_MALFORMED: { status: 400, javaClass: badRequestClass, message: 'java.lang.IllegalArgumentException: {reason}' },
  LOGS_IDS_CONTRADICT: { ...illegalArgument, message: '{inner} does not belong to {outer}!' },
  LOGS_CONTAINER_ID_MALFORMED: { ...badRequest, message: 'Invalid container id: {id}' },
  LOGS_APPLICATION_ABSENT: { ...notFound, message: 'Can not find remote application directory for the application:{id}' },
  LOGS_ABSENT: { ...notFound, message: 'Can not get log meta for request.' },
  LOGS_FOLDER_ABSENT: { ...notFound, message: 'File {path} does not exist' },
  LOGS_NOT_YET: { ...notFound, message: 'The application is not at Running or Finished State.' },
  LOGS_CONTAINER_TEXT: { status: 404, javaClass: notFoundClass, form: 'text', message: 'Not Found. Invalid ContainerId: {id}' },
  LOGS_NOT_YET_TEXT: {
    status: 404,
    javaClass: notFoundClass,
    form: 'text',
    message: 'Not Found. The application is not at Running or Finished State.',
  },
  LOGS_FORMAT_UNKNOWN: {
    status: 400,
    javaClass: badRequestClass,
    form: 'text',
    message: 'The valid values for the parameter : format are [text, octet-stream]',
  },
  LOGS_PATTERN_BAD: { ...illegalArgument, message: '{what} expression is invalid' },
  LOGS_TWO_EXACT: { ...illegalArgument, message: 'Can not process more, than one exact match. Matches: {values}' },
  LOGS_DENIED: {
    status: 403,
    javaClass: accessControlClass,
    message: 'User [{user}] is not authorized to view the logs for {what}',
    remedy: 'Ask the owner to add you to the VIEW_APP list of the application.',
  },
  LOGS_RAW_ABSENT: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: 'No {what} has been gathered.',
    remedy: 'Logs are gathered when their application ends, where yarn.log-aggregation-enable is true.',
  },
} as const satisfies Record<string, ErrorEntry>;
