// What the routes of the resource manager read and answer, for `/openapi.json`; tests hold it complete, and true of what is answered.
import {
  answering,
  awaitedListParameters,
  awaitedOne,
  bareAnswer,
  bytesContent,
  contentAnswer,
  emptyAnswer,
  flagParameter,
  type InterfaceDescription,
  leadAnswer,
  logFileAnswers,
  pageAnswer,
  proxyRoutes,
  recordAnswer,
  refusalAnswer,
  shapeAnswer,
  shapeContent,
  textAnswer,
  textParameter,
  textsParameter,
  timeParameter,
  wholeParameter,
  withBodyExamples,
  wordParameter,
  wordsParameter,
} from '../../http/described.ts';
import { publicApplicationStates } from '../../model/application-states.ts';
import { eventKinds } from '../../model/event-kinds.ts';
import { activities, applicationActivities, bulkActivities } from '../../wire/cluster/activities.ts';
import {
  app,
  appPriority,
  appQueue,
  appState,
  appStatistics,
  apps,
  appTimeout,
  appTimeouts,
  newApplication,
} from '../../wire/cluster/application.ts';
import { appAttempt, appAttempts, containerRecord, containers } from '../../wire/cluster/attempt.ts';
import { clusterInfo, clusterMetrics, clusterUserInfo } from '../../wire/cluster/cluster-info.ts';
import { submittedRun, wantedInstances } from '../../wire/cluster/command-job.ts';
import { delegationToken } from '../../wire/cluster/delegation-token.ts';
import { applicationExplanation } from '../../wire/cluster/explanation.ts';
import {
  allocateRequest,
  allocateResponse,
  finishRequest,
  finishResponse,
  registerRequest,
  registerResponse,
} from '../../wire/cluster/master-protocol.ts';
import { node, nodes } from '../../wire/cluster/node.ts';
import { labelsToNodes, nodeLabels, nodeToLabels } from '../../wire/cluster/node-labels.ts';
import * as own from '../../wire/cluster/own-answers.ts';
import { queueAccess } from '../../wire/cluster/queue-access.ts';
import { queueWhatIf } from '../../wire/cluster/queue-what-if.ts';
import { newReservation, reservationDeleted, reservationList, reservationUpdated } from '../../wire/cluster/reservation.ts';
import { resourceInfoRecord } from '../../wire/cluster/resource.ts';
import { schedulerOverview, schedulerType } from '../../wire/cluster/scheduler.ts';
import { schedulerConf, schedulerConfVersion } from '../../wire/cluster/scheduler-conf.ts';
import * as scheduled from '../../wire/cluster/schedules.ts';
import { stagedFile } from '../../wire/cluster/staging.ts';
import { submittedContext } from '../../wire/cluster/submitted.ts';
import { triedSubmission } from '../../wire/cluster/tried-submission.ts';
import * as hooks from '../../wire/cluster/webhooks.ts';
import { containersUsage, containerUsage, nodeUsage } from '../../wire/node/usage.ts';
import { nodeStates } from '../nodes/node-states.ts';
import { deselectable } from '../views/deselects.ts';
import { leaveRequest } from './administration.ts';
import { columns, fieldNames } from './application-pages.ts';
import { creation } from './bearer-tokens.ts';
import { bodyExamples } from './body-examples.ts';
import { attributesRequest } from './node-attributes.ts';

const ws = '/ws/v1/cluster';
const api = '/api/v1';
const states = wordsParameter(publicApplicationStates);
const finalStatuses = ['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED'];

const applicationFilters = {
  states,
  state: wordParameter(publicApplicationStates),
  finalStatus: wordParameter(finalStatuses),
  user: textParameter(),
  queue: textParameter(),
  name: textParameter(),
  limit: wholeParameter('How many at most.', { minimum: 1 }),
  applicationTypes: textsParameter(),
  applicationTags: textsParameter(),
  startedTimeBegin: timeParameter(),
  startedTimeEnd: timeParameter(),
  finishedTimeBegin: timeParameter(),
  finishedTimeEnd: timeParameter(),
};
const deSelects = wordsParameter(deselectable, 'Left out.');
const oneSchedule = `${api}/schedules/:user/:schedule`;
const wait = (what: string) => wholeParameter(`Milliseconds to wait for ${what}.`, { minimum: 0, maximum: 60_000 });

const facts: InterfaceDescription = {
  [`GET ${ws}`]: answering(recordAnswer(clusterInfo)),
  [`GET ${ws}/info`]: answering(recordAnswer(clusterInfo)),
  [`GET ${ws}/userinfo`]: answering(recordAnswer(clusterUserInfo)),
  [`GET ${ws}/metrics`]: answering(recordAnswer(clusterMetrics)),
};

const attempts = `${ws}/apps/:appid/appattempts`;
const applications: InterfaceDescription = {
  [`GET ${ws}/apps`]: { query: { ...applicationFilters, deSelects }, answers: [recordAnswer(apps)] },
  [`POST ${ws}/apps`]: answering({ ...emptyAnswer(202, 'Taken, and durable.'), headers: { location: 'The application.' } }),
  [`POST ${ws}/apps/new-application`]: answering(recordAnswer(newApplication)),
  [`GET ${ws}/appstatistics`]: {
    query: { states, applicationTypes: textsParameter() },
    answers: [recordAnswer(appStatistics)],
  },
  [`GET ${ws}/apps/:appid`]: { query: { deSelects }, answers: [recordAnswer(app)] },
  [`GET ${ws}/apps/:appid/state`]: answering(recordAnswer(appState)),
  [`PUT ${ws}/apps/:appid/state`]: answering(recordAnswer(appState, 200, 'It is over.'), {
    ...recordAnswer(appState, 202, 'It is being killed; ask again.'),
    headers: { location: 'Where to ask.' },
  }),
  [`GET ${ws}/apps/:appid/queue`]: answering(recordAnswer(appQueue)),
  [`PUT ${ws}/apps/:appid/queue`]: answering(recordAnswer(appQueue)),
  [`GET ${ws}/apps/:appid/priority`]: answering(recordAnswer(appPriority)),
  [`PUT ${ws}/apps/:appid/priority`]: answering(recordAnswer(appPriority)),
  [`GET ${ws}/apps/:appid/timeouts`]: answering(recordAnswer(appTimeouts)),
  [`GET ${ws}/apps/:appid/timeouts/:type`]: answering(recordAnswer(appTimeout)),
  [`PUT ${ws}/apps/:appid/timeout`]: answering(recordAnswer(appTimeout)),
  [`GET ${attempts}`]: answering(recordAnswer(appAttempts)),
  [`GET ${attempts}/:appattemptid`]: answering(recordAnswer(appAttempt)),
  [`GET ${attempts}/:appattemptid/containers`]: answering(recordAnswer(containers)),
  [`GET ${attempts}/:appattemptid/containers/:containerid`]: answering(recordAnswer(containerRecord)),
  [`POST ${ws}/containers/:containerid/signal/:command`]: answering(bareAnswer),
};

const nodeRoutes: InterfaceDescription = {
  [`GET ${ws}/nodes`]: { query: { states: wordsParameter(nodeStates) }, answers: [recordAnswer(nodes)] },
  [`GET ${ws}/nodes/:nodeId`]: answering(recordAnswer(node)),
  [`POST ${ws}/nodes/:nodeId/resource`]: answering(recordAnswer(resourceInfoRecord, 200, 'What it offered before.')),
  [`GET ${ws}/nodes/:nodeId/get-labels`]: answering(recordAnswer(nodeLabels)),
  [`POST ${ws}/nodes/:nodeId/replace-labels`]: { query: { labels: textsParameter() }, answers: [bareAnswer] },
  [`GET ${ws}/get-node-to-labels`]: answering(recordAnswer(nodeToLabels)),
  [`GET ${ws}/label-mappings`]: { query: { labels: textsParameter() }, answers: [recordAnswer(labelsToNodes)] },
  [`GET ${ws}/get-node-labels`]: answering(recordAnswer(nodeLabels)),
  [`GET ${ws}/get-rm-node-labels`]: answering(recordAnswer(nodeLabels)),
  [`POST ${ws}/replace-node-to-labels`]: answering(bareAnswer),
  [`POST ${ws}/add-node-labels`]: answering(bareAnswer),
  [`POST ${ws}/remove-node-labels`]: { query: { labels: textsParameter() }, answers: [bareAnswer] },
};

const tokens: InterfaceDescription = {
  [`POST ${ws}/delegation-token`]: answering(recordAnswer(delegationToken)),
  [`DELETE ${ws}/delegation-token`]: { headers: tokenHeader(), answers: [bareAnswer] },
  [`POST ${ws}/delegation-token/expiration`]: { headers: tokenHeader(), answers: [recordAnswer(delegationToken)] },
};

function tokenHeader() {
  return { 'Hadoop-YARN-RM-Delegation-Token': { schema: { type: 'string' }, about: 'The token.' } };
}

const groupBy = wordParameter(['DIAGNOSTIC'], 'Nodes with the same reason as one.');
const scheduling: InterfaceDescription = {
  [`GET ${ws}/scheduler`]: answering(recordAnswer(schedulerType)),
  [`GET ${ws}/scheduler-overview`]: answering(recordAnswer(schedulerOverview)),
  [`POST ${ws}/scheduler/logs`]: answering(bareAnswer),
  [`GET ${ws}/scheduler/activities`]: { query: { nodeId: textParameter(), groupBy }, answers: [recordAnswer(activities)] },
  [`GET ${ws}/scheduler/bulk-activities`]: {
    query: { activitiesCount: wholeParameter('How many cycles.'), groupBy },
    answers: [recordAnswer(bulkActivities)],
  },
  [`GET ${ws}/scheduler/app-activities/:appid`]: {
    query: {
      requestPriorities: textsParameter('Whole numbers.'),
      allocationRequestIds: textsParameter('Whole numbers.'),
      groupBy,
      limit: wholeParameter('How many at most.', { minimum: 1 }),
      actions: wordsParameter(['REFRESH', 'GET'], 'Starts to look, or gives what was seen; usually both.'),
      maxTime: { schema: { type: 'number' }, about: 'Seconds.' },
      summarize: flagParameter('The last of each node alone.'),
    },
    answers: [recordAnswer(applicationActivities)],
  },
  [`GET ${ws}/scheduler-conf`]: answering(recordAnswer(schedulerConf)),
  [`PUT ${ws}/scheduler-conf`]: answering(bareAnswer),
  [`GET ${ws}/scheduler-conf/format`]: answering(bareAnswer),
  [`GET ${ws}/scheduler-conf/version`]: answering(recordAnswer(schedulerConfVersion)),
  [`POST ${ws}/scheduler-conf/validate`]: answering(recordAnswer(schedulerConf)),
  [`GET ${ws}/queues/:queue/access`]: {
    query: {
      user: textParameter('Whose access is asked.'),
      'queue-acl-type': wordParameter(['SUBMIT_APPLICATIONS', 'ADMINISTER_QUEUE']),
    },
    answers: [recordAnswer(queueAccess)],
  },
};

const reservations: InterfaceDescription = {
  [`POST ${ws}/reservation/new-reservation`]: answering(recordAnswer(newReservation)),
  [`POST ${ws}/reservation/submit`]: answering({ ...emptyAnswer(202, 'Taken.') }),
  [`POST ${ws}/reservation/update`]: answering(recordAnswer(reservationUpdated)),
  [`POST ${ws}/reservation/delete`]: answering(recordAnswer(reservationDeleted)),
  [`GET ${ws}/reservation/list`]: {
    query: {
      queue: textParameter(),
      'reservation-id': textParameter(),
      'start-time': timeParameter(),
      'end-time': timeParameter(),
      'include-resource-allocations': flagParameter(),
    },
    answers: [recordAnswer(reservationList)],
  },
};

const ownApplications: InterfaceDescription = {
  [`GET ${api}/applications`]: {
    query: {
      ...applicationFilters,
      deSelects,
      limit: wholeParameter('How many on a page; usually 100.', { minimum: 1, maximum: 1000 }),
      sort: wordParameter(
        Object.keys(columns).flatMap((name) => [name, `-${name}`, `+${name}`]),
        'Usually `-startedTime`: the newest first.',
      ),
      cursor: textParameter('`next` of the page before.'),
      find: textParameter('A part of the name or of the id, in any case.'),
      fields: wordsParameter(fieldNames, 'These members alone.'),
      ...awaitedListParameters.query,
    },
    headers: awaitedListParameters.headers,
    answers: [shapeAnswer(own.applicationsPage), emptyAnswer(304, 'The same as before.')],
  },
  [`POST ${api}/applications`]: {
    query: {
      dryRun: wordParameter(
        ['true', 'admission', 'false'],
        '`true`: nothing is submitted, the answer says what would come of it; `admission`: only whether it would be refused, which costs little however much runs.',
      ),
    },
    headers: {
      'Idempotency-Key': {
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        about: 'The same key with the same body again is answered with the same application; with another body with 422.',
      },
    },
    answers: [
      {
        ...shapeAnswer(own.submittedApplication, 202, 'Taken, and durable.'),
        headers: { location: 'The application.', 'idempotency-replayed': '`true`: it was taken before, under the same key.' },
      },
      shapeAnswer(triedSubmission, 200, 'What it would come to, with `dryRun`: nothing was changed.'),
      refusalAnswer(422, 'The key was used for another request.'),
    ],
  },
  [`GET ${api}/application-counts`]: {
    query: {
      states,
      finalStatus: wordParameter(finalStatuses),
      user: textParameter(),
      queue: textParameter('Those that live below it are counted, too.'),
      applicationTypes: textsParameter(),
      limit: wholeParameter('How many values of a kind at most; default 20.', { minimum: 1, maximum: 200 }),
    },
    answers: [shapeAnswer(own.applicationCounts)],
  },
  [`GET ${api}/applications/:appid`]: awaitedOne(own.plainApplication),
  [`GET ${api}/applications/:appid/explain`]: answering(recordAnswer(applicationExplanation)),
  [`GET ${api}/applications/:appid/life`]: answering(shapeAnswer(own.applicationLife)),
  [`GET ${api}/usage`]: {
    query: { span: wordParameter(['now', 'hour', 'day'], 'How far back; default hour.') },
    answers: [shapeAnswer(own.clusterUsage)],
  },
  [`GET ${api}/waiting`]: {
    query: {
      limit: wholeParameter('How many at most; default 10.', { minimum: 1, maximum: 50 }),
      queue: textParameter('Of this queue and those below.'),
    },
    answers: [shapeAnswer(own.waitingApplications)],
  },
  [`GET ${api}/job-folders`]: answering(shapeAnswer(own.jobFolders)),
  [`GET ${api}/risks`]: answering(shapeAnswer(own.startRisks)),
  [`GET ${api}/logs/:containerid`]: answering(shapeAnswer(own.containerLogFiles)),
  [`GET ${api}/logs/:containerid/:filename`]: {
    query: { follow: flagParameter('The answer goes on until the container ends.') },
    answers: logFileAnswers,
  },
  [`GET ${api}/applications/:appid/run`]: answering(shapeAnswer(submittedRun)),
  [`PUT ${api}/applications/:appid/instances`]: { body: shapeContent(wantedInstances), answers: [shapeAnswer(wantedInstances)] },
  [`GET ${api}/applications/:appid/submission`]: answering(shapeAnswer(submittedContext)),
  [`GET ${api}/applications/:appid/master`]: answering(shapeAnswer(own.masterAccess)),
  [`GET ${api}/events`]: {
    query: {
      application: textsParameter('Ids of applications.'),
      user: textsParameter(),
      queue: textsParameter('Queues, with those below them.'),
      node: textsParameter('Ids or hosts of nodes: what became of them, and containers there.'),
      kind: wordsParameter([...new Set(eventKinds.flatMap((kind) => [kind, kind.slice(0, kind.indexOf('.'))]))]),
      from: textParameter('`now`, `oldest`, or the id of the event after which to go on.'),
      limit: wholeParameter('Of a slice.', { minimum: 1, maximum: 10_000 }),
      wait: wait('something in a slice'),
    },
    headers: { 'Last-Event-ID': { schema: { type: 'string' }, about: 'Where to go on; counts before `from`.' } },
    answers: [
      contentAnswer('Events; a slice of them where JSON is asked for.', [shapeContent(own.eventSlice), { type: 'text/event-stream' }]),
    ],
  },
  [`POST ${api}/attempts/:attemptId/register`]: { body: shapeContent(registerRequest), answers: [shapeAnswer(registerResponse)] },
  [`POST ${api}/attempts/:attemptId/allocate`]: {
    query: { wait: wholeParameter('Milliseconds to wait for news.', { minimum: 0 }) },
    body: shapeContent(allocateRequest),
    answers: [shapeAnswer(allocateResponse)],
  },
  [`POST ${api}/attempts/:attemptId/finish`]: { body: shapeContent(finishRequest), answers: [shapeAnswer(finishResponse)] },
};

const stagedFileAnswer = contentAnswer('The file.', [bytesContent]);
const beside: InterfaceDescription = {
  [`GET ${api}/node-attributes`]: {
    query: { attribute: textParameter('`prefix/name`; may be repeated.') },
    answers: [shapeAnswer(own.attributeList)],
  },
  [`GET ${api}/node-attributes/nodes`]: { query: { host: textParameter('May be repeated.') }, answers: [shapeAnswer(own.attributedHosts)] },
  [`POST ${api}/node-attributes`]: { body: shapeContent(attributesRequest), answers: [shapeAnswer(own.changedCount)] },
  [`POST ${api}/nodes/refresh`]: { body: shapeContent(leaveRequest), answers: [shapeAnswer(own.changedNodes)] },
  [`POST ${api}/nodes/refresh-resources`]: answering(shapeAnswer(own.resizedNodes)),
  [`POST ${api}/nodes/:nodeId/drain`]: { body: shapeContent(leaveRequest), answers: [shapeAnswer(own.nodeStanding)] },
  [`GET ${api}/placement`]: {
    query: { limit: wholeParameter('How many nodes at most; default 100.', { minimum: 1, maximum: 1000 }) },
    answers: [shapeAnswer(own.placement)],
  },
  [`GET ${api}/nodes/:nodeId`]: awaitedOne(own.plainNode),
  [`GET ${api}/containers/:containerid`]: awaitedOne(own.plainContainer),
  [`GET ${api}/queues/:queue`]: awaitedOne(own.plainQueue),
  [`GET ${api}/nodes/:nodeId/containers`]: answering(shapeAnswer(own.nodeContainers)),
  [`POST ${api}/nodes/:nodeId/resume`]: answering(shapeAnswer(own.nodeStanding)),
  [`POST ${api}/queues/refresh`]: answering(shapeAnswer(own.refreshedQueues)),
  [`POST ${api}/queues/what-if`]: answering(shapeAnswer(queueWhatIf)),
  [`GET ${api}/queues/history`]: answering(shapeAnswer(own.queueHistory)),
  [`POST ${api}/access/refresh`]: answering(shapeAnswer(own.refreshedAccess)),
  [`GET ${api}/users/:user/groups`]: answering(shapeAnswer(own.userGroups)),
  [`PUT ${api}/staging/:user/:application/:name`]: {
    headers: { 'Content-Digest': { schema: { type: 'string' }, about: '`sha-256=:BASE64:`, checked.' } },
    body: bytesContent,
    answers: [shapeAnswer(stagedFile, 201)],
  },
  [`GET ${api}/staging/:user/:application/:name`]: answering(stagedFileAnswer),
  [`DELETE ${api}/staging/:user/:application`]: answering(shapeAnswer(own.removedFiles)),
  [`GET ${api}/nodes/staging/:user/:application/:name`]: answering(stagedFileAnswer),
  [`POST ${api}/tokens`]: { body: shapeContent(creation), answers: [shapeAnswer(own.madeBearerToken, 201)] },
  [`GET ${api}/tokens`]: {
    query: { all: flagParameter('Those of everybody, for administrators.') },
    answers: [shapeAnswer(own.bearerTokens)],
  },
  [`DELETE ${api}/tokens/:token`]: answering(shapeAnswer(own.bearerToken)),
  [`POST ${api}/schedules`]: { body: shapeContent(scheduled.scheduleCreation), answers: [shapeAnswer(scheduled.schedule, 201)] },
  [`GET ${api}/schedules`]: {
    query: { all: wordParameter(['true', 'false'], 'Those of everybody, for administrators.') },
    answers: [shapeAnswer(scheduled.schedules)],
  },
  [`GET ${api}/schedule-times`]: {
    query: {
      cron: textParameter('Minute, hour, day of the month, month, day of the week; or such as `@daily`.'),
      timeZone: textParameter('Such as Europe/Berlin; default UTC.'),
    },
    answers: [shapeAnswer(scheduled.scheduleTimes)],
  },
  [`GET ${oneSchedule}`]: answering(shapeAnswer(scheduled.scheduleDetail)),
  [`DELETE ${oneSchedule}`]: answering(shapeAnswer(scheduled.removedSchedule)),
  [`POST ${oneSchedule}/pause`]: answering(shapeAnswer(scheduled.schedule)),
  [`POST ${oneSchedule}/resume`]: answering(shapeAnswer(scheduled.schedule)),
  [`POST ${oneSchedule}/run`]: answering(shapeAnswer(scheduled.scheduleRun)),
  [`POST ${api}/webhooks`]: { body: shapeContent(hooks.webhookCreation), answers: [shapeAnswer(hooks.madeWebhook, 201)] },
  [`GET ${api}/webhooks`]: {
    query: { all: flagParameter('Those of everybody, for administrators.') },
    answers: [shapeAnswer(hooks.webhooks)],
  },
  [`GET ${api}/webhooks/:webhook`]: answering(shapeAnswer(hooks.webhookDetail)),
  [`DELETE ${api}/webhooks/:webhook`]: answering(shapeAnswer(hooks.removedWebhook)),
  [`POST ${api}/webhooks/:webhook/redeliver`]: { body: shapeContent(hooks.redelivery), answers: [shapeAnswer(hooks.redelivered)] },
  [`POST ${api}/token-examinations`]: { body: shapeContent(own.sealedMessage), answers: [shapeAnswer(own.sealedMessage)] },
  [`POST ${api}/token-changes`]: { body: shapeContent(own.sealedMessage), answers: [shapeAnswer(own.sealedMessage)] },
  [`GET ${api}/containers/:containerid/usage`]: answering(shapeAnswer(containerUsage)),
  [`GET ${api}/nodes/:nodeId/usage`]: answering(shapeAnswer(nodeUsage)),
  [`GET ${api}/nodes/:nodeId/usage/containers`]: answering(shapeAnswer(containersUsage)),
  [`GET ${api}/applications/:appid/usage`]: answering(shapeAnswer(containersUsage)),
  [`GET ${api}/containers/:containerid/logs`]: answering(leadAnswer(307, 'To the list of log files.')),
  [`GET ${api}/containers/:containerid/logs/:filename`]: {
    query: { follow: flagParameter('Goes along to where the file is.') },
    answers: [leadAnswer(307, 'To the log file.')],
  },
};

const pages: InterfaceDescription = {
  ...Object.fromEntries(
    [
      '/cluster/cluster',
      '/cluster/app/:appid',
      '/cluster/failure',
      '/cluster/failure/:appid',
      '/cluster/nodes',
      '/cluster/nodes/:state',
      '/cluster/scheduler',
    ]
      .concat('/cluster/app', '/cluster/appattempt', '/cluster/container', '/cluster/queue/*', '/cluster/errors-and-warnings')
      .concat('/cluster/appattempt/:appattemptid', '/cluster/container/:containerid', '/cluster/nodelabels')
      .concat('/cluster/logaggregationstatus', '/cluster/logaggregationstatus/:appid')
      .map((path) => [`GET ${path}`, answering(pageAnswer)]),
  ),
  ...Object.fromEntries(
    ['/cluster', '/cluster/apps', '/cluster/apps/:states'].map((path) => [`GET ${path}`, { query: { states }, answers: [pageAnswer] }]),
  ),
  'GET /': answering(leadAnswer(302, 'To the pages.')),
  '/isActive': answering(textAnswer()),
};

export const describedRoutes: InterfaceDescription = withBodyExamples(
  {
    ...facts,
    ...applications,
    ...nodeRoutes,
    ...tokens,
    ...scheduling,
    ...reservations,
    ...ownApplications,
    ...beside,
    ...pages,
    ...proxyRoutes,
  },
  bodyExamples,
);
