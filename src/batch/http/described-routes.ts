// What the routes of a batch job's master read and answer, for `/openapi.json`; tests hold it complete, and true of what is answered.
import {
  answering,
  awaitedOne,
  type InterfaceDescription,
  leadAnswer,
  pageAnswer,
  recordAnswer,
  shapeAnswer,
  textParameter,
  wordParameter,
} from '../../http/described.ts';
import { configuration } from '../../wire/batch/configuration.ts';
import { jobCounters, taskAttemptCounters, taskCounters } from '../../wire/batch/counters.ts';
import { avoidedHosts, job, jobAttempts, jobs, masterInfo } from '../../wire/batch/jobs.ts';
import { plainJob, tasksPage } from '../../wire/batch/own-answers.ts';
import { taskAttempt, taskAttemptState, taskAttempts } from '../../wire/batch/task-attempts.ts';
import { task, tasks } from '../../wire/batch/tasks.ts';

const ws = '/ws/v1/mapreduce';
const one = `${ws}/jobs/:jobid`;
const attempt = `${one}/tasks/:taskid/attempts/:attemptid`;
const own = '/api/v1/jobs/:jobid/tasks/:taskid';
const page = answering(pageAnswer);
const info = answering(recordAnswer(masterInfo));
const state = answering(recordAnswer(taskAttemptState));

export const describedRoutes: InterfaceDescription = {
  [`GET ${ws}`]: info,
  [`GET ${ws}/info`]: info,
  [`GET ${ws}/blacklistednodes`]: answering(recordAnswer(avoidedHosts)),
  [`GET ${ws}/jobs`]: answering(recordAnswer(jobs)),
  [`GET ${one}`]: answering(recordAnswer(job)),
  [`GET ${one}/jobattempts`]: answering(recordAnswer(jobAttempts)),
  [`GET ${one}/counters`]: answering(recordAnswer(jobCounters)),
  [`GET ${one}/conf`]: answering(recordAnswer(configuration)),
  [`GET ${one}/tasks`]: { query: { type: wordParameter(['m', 'r', 'MAP', 'REDUCE']) }, answers: [recordAnswer(tasks)] },
  [`GET ${one}/tasks/:taskid`]: answering(recordAnswer(task)),
  [`GET ${one}/tasks/:taskid/counters`]: answering(recordAnswer(taskCounters)),
  [`GET ${one}/tasks/:taskid/attempts`]: answering(recordAnswer(taskAttempts)),
  [`GET ${attempt}`]: answering(recordAnswer(taskAttempt)),
  [`GET ${attempt}/counters`]: answering(recordAnswer(taskAttemptCounters)),
  [`GET ${attempt}/state`]: state,
  [`PUT ${attempt}/state`]: state,
  'GET /api/v1/jobs/:jobid': awaitedOne(plainJob),
  'GET /api/v1/jobs/:jobid/tasks': { query: { cursor: textParameter('`next` of the page before.') }, answers: [shapeAnswer(tasksPage)] },
  'PUT /api/v1/jobs/:jobid/state': state,
  [`PUT ${own}/state`]: state,
  [`PUT ${own}/attempts/:attemptid/state`]: state,
  'GET /': answering(leadAnswer(302, 'To the page of the job.')),
  'GET /mapreduce': page,
  'GET /mapreduce/app': page,
  'GET /mapreduce/job/:jobid': page,
  'GET /mapreduce/conf/:jobid': page,
  'GET /mapreduce/counters/:jobid': page,
  'GET /mapreduce/task/:taskid': page,
  'GET /mapreduce/tasks/:jobid/:type': page,
  'GET /mapreduce/tasks/:jobid/:type/:state': page,
  'GET /mapreduce/tasks/:jobid': page,
  'GET /mapreduce/attempts/:jobid/:type/:state': page,
  'GET /mapreduce/jobcounters/:jobid': page,
  'GET /mapreduce/taskcounters/:taskid': page,
  'GET /mapreduce/singlejobcounter/:jobid': page,
  'GET /mapreduce/singlejobcounter/:jobid/:group/:counter': page,
  'GET /mapreduce/singletaskcounter/:taskid': page,
  'GET /mapreduce/singletaskcounter/:taskid/:group/:counter': page,
  ...Object.fromEntries(
    ['job', 'conf', 'jobcounters', 'tasks', 'attempts', 'singlejobcounter', 'task', 'taskcounters', 'singletaskcounter'].map((name) => [
      `GET /mapreduce/${name}`,
      page,
    ]),
  ),
};
