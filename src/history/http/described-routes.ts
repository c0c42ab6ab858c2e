// What the routes of the history server read and answer, for `/openapi.json`; tests hold it complete, and true of what is answered.
import {
  answering,
  awaitedListParameters,
  awaitedOne,
  contentAnswer,
  emptyAnswer,
  flagParameter,
  type InterfaceDescription,
  leadAnswer,
  logFileAnswers,
  pageAnswer,
  recordAnswer,
  recordContent,
  recordXml,
  shapeAnswer,
  textParameter,
  timeParameter,
  wholeParameter,
  wordParameter,
} from '../../http/described.ts';
import { configuration } from '../../wire/batch/configuration.ts';
import { jobCounters, taskAttemptCounters, taskCounters } from '../../wire/batch/counters.ts';
import { jobAttempts } from '../../wire/batch/jobs.ts';
import { finishedJobsPage, plainJob, tasksPage } from '../../wire/batch/own-answers.ts';
import { taskAttempt, taskAttempts } from '../../wire/batch/task-attempts.ts';
import { task, tasks } from '../../wire/batch/tasks.ts';
import { containerLogFiles } from '../../wire/cluster/own-answers.ts';
import { containerLogsList, remoteLogPaths } from '../../wire/history/container-logs.ts';
import { historyInfo } from '../../wire/history/history-info.ts';
import { job, jobs } from '../../wire/history/jobs.ts';
import { jobStates } from '../jobs/job-filter.ts';
import { jobOrders } from './job-search.ts';
import { logPagePaths } from './log-pages.ts';

const ws = '/ws/v1/history';
const one = `${ws}/mapreduce/jobs/:jobid`;

const jobFilters = {
  user: textParameter(),
  queue: textParameter(),
  state: wordParameter([...jobStates]),
  limit: wholeParameter('How many at most.', { minimum: 1 }),
  startedTimeBegin: timeParameter(),
  startedTimeEnd: timeParameter(),
  finishedTimeBegin: timeParameter(),
  finishedTimeEnd: timeParameter(),
};
const nodeId = textParameter('The node that the caller takes the logs to be on.');
const redirected = flagParameter('A node sent the caller here.');
const manual = flagParameter('Where logs are is told by a header alone.');

/** JSON is `null` where there are none. */
const logList = contentAnswer('Log files.', [
  {
    type: 'application/json',
    schema: (schemas) => ({ anyOf: [recordContent(containerLogsList).schema!(schemas), { type: 'null' }] }),
  },
  recordXml(containerLogsList),
]);

const jobRoutes: InterfaceDescription = {
  [`GET ${ws}`]: answering(recordAnswer(historyInfo)),
  [`GET ${ws}/info`]: answering(recordAnswer(historyInfo)),
  [`GET ${ws}/mapreduce/jobs`]: { query: jobFilters, answers: [recordAnswer(jobs)] },
  [`GET ${one}`]: answering(recordAnswer(job)),
  [`GET ${one}/jobattempts`]: answering(recordAnswer(jobAttempts)),
  [`GET ${one}/counters`]: answering(recordAnswer(jobCounters)),
  [`GET ${one}/conf`]: answering(recordAnswer(configuration)),
  [`GET ${one}/tasks`]: { query: { type: wordParameter(['m', 'r', 'MAP', 'REDUCE']) }, answers: [recordAnswer(tasks)] },
  [`GET ${one}/tasks/:taskid`]: answering(recordAnswer(task)),
  [`GET ${one}/tasks/:taskid/counters`]: answering(recordAnswer(taskCounters)),
  [`GET ${one}/tasks/:taskid/attempts`]: answering(recordAnswer(taskAttempts)),
  [`GET ${one}/tasks/:taskid/attempts/:attemptid`]: answering(recordAnswer(taskAttempt)),
  [`GET ${one}/tasks/:taskid/attempts/:attemptid/counters`]: answering(recordAnswer(taskAttemptCounters)),
  'GET /api/v1/jobs': {
    query: {
      ...jobFilters,
      name: textParameter('Part of the name or of the id; capitals do not matter.'),
      sort: wordParameter(jobOrders, 'Default `-finishTime`: who finished last comes first.'),
      limit: wholeParameter('How many a page has; more than 1,000 are 1,000.', { minimum: 1 }),
      cursor: textParameter('`next` of the page before.'),
      facets: flagParameter('Tells how many jobs each other state, user and queue would leave.'),
      ...awaitedListParameters.query,
    },
    headers: awaitedListParameters.headers,
    answers: [shapeAnswer(finishedJobsPage), emptyAnswer(304, 'The same as before.')],
  },
  'GET /api/v1/jobs/:jobid': awaitedOne(plainJob),
  'GET /api/v1/jobs/:jobid/tasks': { query: { cursor: textParameter('`next` of the page before.') }, answers: [shapeAnswer(tasksPage)] },
};

const logRoutes: InterfaceDescription = {
  [`GET ${ws}/remote-log-dir`]: { query: { user: textParameter(), appid: textParameter() }, answers: [recordAnswer(remoteLogPaths)] },
  [`GET ${ws}/extended-log-query`]: {
    query: {
      user: textParameter(),
      appid: textParameter(),
      containerid: textParameter(),
      filename: textParameter('A regular expression.'),
      'nm.id': textParameter('A regular expression.'),
      file_size: textParameter('`>1000`, `<1000`, or a number of bytes; may be repeated.'),
      modification_time: textParameter('`>…`, `<…`, milliseconds since the epoch; may be repeated.'),
    },
    answers: [logList],
  },
  [`GET ${ws}/aggregatedlogs`]: {
    query: {
      appid: textParameter(),
      appattemptid: textParameter(),
      containerid: textParameter(),
      'nm.id': nodeId,
      redirected_from_node: redirected,
      manual_redirection: manual,
    },
    answers: [logList, leadAnswer(307, 'To the node that has them.')],
  },
  [`GET ${ws}/containers/:containerid/logs`]: {
    query: { 'nm.id': nodeId, redirected_from_node: redirected, manual_redirection: manual },
    answers: [logList, leadAnswer(307, 'To the node that has them.')],
  },
  [`GET ${ws}/containerlogs/:containerid/:filename`]: {
    query: {
      format: wordParameter(['text', 'octet-stream']),
      size: wholeParameter('So many bytes from the start; below 0 from the end.'),
      'nm.id': nodeId,
      redirected_from_node: redirected,
      manual_redirection: manual,
    },
    answers: [
      contentAnswer('The file.', [{ type: 'text/plain' }, { type: 'application/octet-stream' }]),
      leadAnswer(307, 'To the node that has it.'),
    ],
  },
  'GET /api/v1/containers/:containerid/logs': answering(shapeAnswer(containerLogFiles)),
  'GET /api/v1/containers/:containerid/logs/:filename': {
    query: { follow: flagParameter('Nothing more comes: the file is whole.') },
    headers: { Range: { schema: { type: 'string' }, about: '`bytes=0-99`.' } },
    answers: logFileAnswers,
  },
};

const page = answering(pageAnswer);
const logPage = {
  query: {
    start: wholeParameter('Bytes; below 0 from the end.'),
    end: wholeParameter('Bytes.'),
  },
  answers: [pageAnswer],
};

export const describedRoutes: InterfaceDescription = {
  ...jobRoutes,
  ...logRoutes,
  'GET /': answering(leadAnswer(302, 'To the list of jobs.')),
  'GET /jobhistory': { query: jobFilters, answers: [pageAnswer] },
  'GET /jobhistory/app': { query: jobFilters, answers: [pageAnswer] },
  'GET /jobhistory/conf/:jobid': page,
  'GET /jobhistory/job/:jobid': page,
  'GET /jobhistory/attempts/:jobid/:type/:state': page,
  'GET /jobhistory/taskcounters/:taskid': page,
  'GET /jobhistory/jobcounters/:jobid': page,
  'GET /jobhistory/task/:taskid': page,
  'GET /jobhistory/tasks/:jobid/:type': page,
  'GET /jobhistory/about': page,
  'GET /jobhistory/tasks/:jobid': page,
  'GET /jobhistory/downloadconf/:jobid': answering(contentAnswer('The configuration.', [{ type: 'text/xml' }])),
  'GET /jobhistory/singlejobcounter/:jobid': page,
  'GET /jobhistory/singlejobcounter/:jobid/:group/:counter': page,
  'GET /jobhistory/singletaskcounter/:taskid': page,
  'GET /jobhistory/singletaskcounter/:taskid/:group/:counter': page,
  ...Object.fromEntries(
    [
      'job',
      'conf',
      'downloadconf',
      'jobcounters',
      'tasks',
      'attempts',
      'singlejobcounter',
      'task',
      'taskcounters',
      'singletaskcounter',
    ].map((name) => [`GET /jobhistory/${name}`, page]),
  ),
  ...Object.fromEntries(logPagePaths.map((path) => [`GET ${path}`, logPage])),
};
