// What the routes of the timeline servers read and answer, for `/openapi.json`; tests hold it complete, and true of what is answered.

import {
  answering,
  type ContentDescription,
  contentAnswer,
  emptyAnswer,
  flagParameter,
  type InterfaceDescription,
  leadAnswer,
  memberContent,
  type OperationDescription,
  type ParameterDescription,
  pageAnswer,
  recordAnswer,
  recordContent,
  recordXml,
  shapeAnswer,
  textParameter,
  textsParameter,
  timeParameter,
  wholeParameter,
  wordParameter,
  wordsParameter,
} from '../../http/described.ts';
import { recordExample } from '../../http/record-examples.ts';
import { fields, many, text, whole } from '../../lib/json-shape.ts';
import { publicApplicationStates } from '../../model/application-states.ts';
import type { RecordDescription } from '../../wire/codec/describe.ts';
import { writeXmlElement, xmlDocument } from '../../wire/codec/xml.ts';
import {
  historyApplication,
  historyApplications,
  historyAttempt,
  historyAttempts,
  historyContainer,
  historyContainers,
} from '../../wire/timeline/history-records.ts';
import { containerLogs, containerLogsInfoes } from '../../wire/timeline/log-records.ts';
import {
  timelineAbout,
  timelineDomain,
  timelineDomains,
  timelineEntities,
  timelineEntity,
  timelineEvents,
  timelinePutResponse,
} from '../../wire/timeline/v1-records.ts';
import { nodeWritesPath, systemWritesPath } from '../../wire/timeline/v2-entity.ts';
import { entityTypes, entityV2, readerHealth } from '../../wire/timeline/v2-records.ts';

const v1 = '/ws/v1/timeline';
const limit = wholeParameter('How many at most; usually 100.');
const window = { windowStart: timeParameter(), windowEnd: timeParameter() };
const entityFields = wordsParameter(['EVENTS', 'RELATEDENTITIES', 'PRIMARYFILTERS', 'OTHERINFO', 'LASTEVENTONLY']);

const listOf = (content: ContentDescription): ContentDescription => ({
  ...content,
  schema: (schemas) => ({ type: 'array', items: content.schema!(schemas) }),
});
/** A body in the JSON of a record. */
const bodyOf = <T>(record: RecordDescription<T>): ContentDescription => recordContent(record);
const put = recordAnswer(timelinePutResponse, 200, 'What was refused; nothing: all was taken.');

const written: OperationDescription = {
  body: { type: 'application/json', schema: () => ({ type: 'object' }) },
  answers: [shapeAnswer(fields({ written: whole() }))],
};
const timeline: InterfaceDescription = {
  [`GET ${v1}`]: answering(contentAnswer('About the timeline.', [recordContent(timelineAbout)])),
  [`POST ${v1}`]: { body: bodyOf(timelineEntities), answers: [put] },
  [`GET ${v1}/:entityType`]: {
    query: {
      primaryFilter: textParameter('`name:value`.'),
      secondaryFilter: textsParameter('`name:value`, parted by commas.'),
      ...window,
      fromId: textParameter('Goes on with this entity.'),
      fromTs: timeParameter('None that came later, milliseconds since the epoch.'),
      limit,
      fields: entityFields,
    },
    answers: [recordAnswer(timelineEntities)],
  },
  [`GET ${v1}/:entityType/:entityId`]: { query: { fields: entityFields }, answers: [recordAnswer(timelineEntity)] },
  [`GET ${v1}/:entityType/events`]: {
    query: { entityId: textsParameter(), eventType: textsParameter(), ...window, limit },
    answers: [recordAnswer(timelineEvents)],
  },
  [`GET ${v1}/domain`]: { query: { owner: textParameter('Usually the caller.') }, answers: [recordAnswer(timelineDomains)] },
  [`PUT ${v1}/domain`]: { body: bodyOf(timelineDomain), answers: [put] },
  [`GET ${v1}/domain/:domainId`]: answering(recordAnswer(timelineDomain)),
  'GET /api/v1/timeline/types': answering(shapeAnswer(fields({ types: many(text()) }))),
  [`POST ${systemWritesPath}`]: written,
  [`POST ${nodeWritesPath}`]: written,
};

const history = '/ws/v1/applicationhistory';
const applications: OperationDescription = {
  query: {
    states: wordsParameter(publicApplicationStates),
    state: wordParameter(publicApplicationStates),
    finalStatus: wordParameter(['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED']),
    user: textParameter(),
    queue: textParameter(),
    name: textParameter(),
    limit: wholeParameter('How many at most.', { minimum: 1 }),
    applicationTypes: textsParameter(),
    startedTimeBegin: timeParameter(),
    startedTimeEnd: timeParameter(),
    finishedTimeBegin: timeParameter(),
    finishedTimeEnd: timeParameter(),
  },
  answers: [recordAnswer(historyApplications)],
};
const logQuery: Readonly<Record<string, ParameterDescription>> = {
  'nm.id': textParameter('The node that the caller takes the logs to be on.'),
  redirected_from_node: flagParameter('A node sent the caller here.'),
  manual_redirection: flagParameter('Where logs are is told by a header alone.'),
};
const logFile: OperationDescription = {
  query: {
    ...logQuery,
    format: wordParameter(['text', 'octet-stream']),
    size: wholeParameter('So many bytes from the start; below 0 from the end.'),
  },
  answers: [
    contentAnswer('The file.', [{ type: 'text/plain' }, { type: 'application/octet-stream' }]),
    leadAnswer(307, 'To the node that has it.'),
  ],
};
const logList: OperationDescription = {
  query: logQuery,
  answers: [
    contentAnswer('Log files.', [listOf(memberContent(containerLogs, 'plain')), recordXml(containerLogsInfoes)]),
    leadAnswer(307, 'To the node that has them.'),
  ],
};
const page = answering(pageAnswer);

const applicationHistory: InterfaceDescription = {
  [`GET ${history}`]: applications,
  [`GET ${history}/apps`]: applications,
  [`GET ${history}/about`]: answering(recordAnswer(timelineAbout)),
  [`GET ${history}/apps/:appid`]: answering(recordAnswer(historyApplication)),
  [`GET ${history}/apps/:appid/appattempts`]: answering(recordAnswer(historyAttempts)),
  [`GET ${history}/apps/:appid/appattempts/:appattemptid`]: answering(recordAnswer(historyAttempt)),
  [`GET ${history}/apps/:appid/appattempts/:appattemptid/containers`]: answering(recordAnswer(historyContainers)),
  [`GET ${history}/apps/:appid/appattempts/:appattemptid/containers/:containerid`]: answering(recordAnswer(historyContainer)),
  [`GET ${history}/containers/:containerid/logs`]: logList,
  [`GET ${history}/containers/:containerid/logs/:filename`]: logFile,
  [`GET ${history}/containerlogs/:containerid/:filename`]: logFile,
  'GET /': answering(leadAnswer(302, 'To the pages.')),
  'GET /applicationhistory': page,
  'GET /applicationhistory/app/:appid': page,
  'GET /applicationhistory/appattempt/:appattemptid': page,
  'GET /applicationhistory/container/:containerid': page,
  'GET /applicationhistory/logs/:node/:containerid/:entity/:user': page,
  'GET /applicationhistory/logs/:node/:containerid/:entity/:user/:file': answering(leadAnswer(302, 'To the file.')),
  ...Object.fromEntries(
    ['about', 'errors-and-warnings', 'apps', 'apps/:states', 'app', 'appattempt', 'container', 'logs'].map((name) => [
      `GET /applicationhistory/${name}`,
      page,
    ]),
  ),
};

/** Version 1, the application history, and what the resource manager tells. */
export const describedRoutes: InterfaceDescription = { ...timeline, ...applicationHistory };

const v2 = '/ws/v2/timeline';
const fieldsV2 = wordsParameter(['ALL', 'EVENTS', 'INFO', 'METRICS', 'CONFIGS', 'RELATES_TO', 'IS_RELATED_TO']);
const runRetrieval = { fields: wordsParameter(['ALL', 'METRICS']), metricstoretrieve: textParameter('Prefixes of names, in brackets.') };
const retrieval = {
  fields: fieldsV2,
  confstoretrieve: textParameter('Prefixes of names, in brackets.'),
  metricstoretrieve: textParameter('Prefixes of names, in brackets.'),
  metricslimit: wholeParameter('Values of each metric; usually 1.'),
  metricstimestart: timeParameter(),
  metricstimeend: timeParameter(),
};
const selection = {
  limit,
  createdtimestart: timeParameter(),
  createdtimeend: timeParameter(),
  relatesto: textParameter('`TYPE:id:id`, parted by commas.'),
  isrelatedto: textParameter('`TYPE:id:id`, parted by commas.'),
  infofilters: textParameter('`(name eq value) AND …`.'),
  conffilters: textParameter('`(name eq value) AND …`.'),
  metricfilters: textParameter('`(name gt number) AND …`.'),
  eventfilters: textParameter('`(name,name) AND …`.'),
  fromid: textParameter('Goes on with this one.'),
};
const context = { userid: textParameter(), flowname: textParameter(), flowrunid: wholeParameter() };
const prefix = { entityidprefix: wholeParameter() };

const one = (query: Readonly<Record<string, ParameterDescription>>): OperationDescription => ({
  query,
  answers: [contentAnswer('The entity.', [recordContent(entityV2), recordXml(entityV2)])],
});
const entitiesXml: ContentDescription = {
  type: 'application/xml',
  schema: (schemas) => ({
    type: 'object',
    properties: { entity: listOf(recordXml(entityV2)).schema!(schemas) },
    xml: { name: 'entities' },
  }),
  example: () => xmlDocument('entities', writeXmlElement('entity', entityV2, recordExample(entityV2 as never, entityV2.root) as never)),
};
const several = (query: Readonly<Record<string, ParameterDescription>>): OperationDescription => ({
  query,
  answers: [contentAnswer('Entities.', [listOf(recordContent(entityV2)), entitiesXml])],
});
const types: OperationDescription = {
  query: context,
  answers: [
    contentAnswer('Types.', [
      { type: 'application/json', schema: () => ({ type: 'array', items: { type: 'string' } }) },
      recordXml(entityTypes),
    ]),
  ],
};

/** Paths that stand below a cluster too. */
const ofClusters: InterfaceDescription = {
  '/flows': several({ limit, daterange: textParameter('`20261130`, or `20261101-20261130`.'), fromid: selection.fromid }),
  '/users/:userid/flows/:flowname/runs': several({ ...selection, ...runRetrieval }),
  '/users/:userid/flows/:flowname/runs/:flowrunid': one(runRetrieval),
  '/users/:userid/flows/:flowname/runs/:flowrunid/apps': several({ ...selection, ...retrieval }),
  '/users/:userid/flows/:flowname/apps': several({ ...selection, ...retrieval }),
  '/users/:userid/entities/:entitytype': several({ ...selection, ...retrieval }),
  '/users/:userid/entities/:entitytype/:entityid': several({ ...selection, ...retrieval, ...prefix }),
  '/apps/:appid': one({ ...context, ...retrieval }),
  '/apps/:appid/appattempts': several({ ...context, ...selection, ...retrieval }),
  '/apps/:appid/appattempts/:attemptid': one({ ...context, ...retrieval, ...prefix }),
  '/apps/:appid/appattempts/:attemptid/containers': several({ ...context, ...selection, ...retrieval }),
  '/apps/:appid/containers/:containerid': one({ ...context, ...retrieval, ...prefix }),
  '/apps/:appid/entities/:entitytype': several({ ...context, ...selection, ...retrieval }),
  '/apps/:appid/entities/:entitytype/:entityid': one({ ...context, ...retrieval, ...prefix }),
  '/apps/:appid/entity-types': types,
};

const v2Logs = '/ws/v2/applicationlog';
const logCluster = { clusterid: textParameter('The cluster of the application; this one where none is named.') };

/** What version 2 has been told: on its reader, and on the timeline server itself. */
export const describedFlows: InterfaceDescription = {
  ...Object.fromEntries(
    Object.entries(ofClusters).flatMap(([path, operation]) => [
      [`GET ${v2}${path}`, operation],
      [`GET ${v2}/clusters/:clusterid${path}`, operation],
    ]),
  ),
  [`GET ${v2}`]: answering(contentAnswer('About the reader.', [recordContent(timelineAbout)])),
  [`GET ${v2}/health`]: answering(recordAnswer(readerHealth)),
  [`GET ${v2}/app-uid/:uid`]: one(retrieval),
  [`GET ${v2}/app-uid/:uid/entities/:entitytype`]: several({ ...selection, ...retrieval }),
  [`GET ${v2}/entity-uid/:uid`]: one(retrieval),
  [`GET ${v2}/flow-uid/:uid/runs`]: several({ ...selection, ...runRetrieval }),
  [`GET ${v2}/run-uid/:uid`]: one(runRetrieval),
  [`GET ${v2}/run-uid/:uid/apps`]: several({ ...selection, ...retrieval }),
};

/** The reader of version 2. */
export const describedReader: InterfaceDescription = {
  ...describedFlows,
  [`GET ${v2Logs}/containers/:containerid/logs`]: { ...logList, query: { ...logList.query, ...logCluster } },
  [`GET ${v2Logs}/containers/:containerid/logs/:filename`]: { ...logFile, query: { ...logFile.query, ...logCluster } },
  [`GET ${v2Logs}/containerlogs/:containerid/:filename`]: { ...logFile, query: { ...logFile.query, ...logCluster } },
};

const ofApplication = { appid: textParameter('The application for which the caller writes.') };
const taken = emptyAnswer(200, 'Taken.');

/** The collector of version 2. */
export const describedCollector: InterfaceDescription = {
  [`GET ${v2}`]: answering(recordAnswer(timelineAbout)),
  [`PUT ${v2}/entities`]: {
    query: { ...ofApplication, subappwrite: flagParameter('Kept for the caller, besides the application.') },
    body: {
      type: 'application/json',
      schema: (schemas) => ({ type: 'object', properties: { entities: listOf(recordContent(entityV2)).schema!(schemas) } }),
    },
    answers: [taken],
  },
  [`PUT ${v2}/domain`]: { query: ofApplication, body: bodyOf(timelineDomain), answers: [taken] },
};
