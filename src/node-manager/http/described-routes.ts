// What the routes of a node read and answer, for `/openapi.json`; tests hold it complete, and true of what is answered.
import {
  answering,
  bareAnswer,
  contentAnswer,
  flagParameter,
  type InterfaceDescription,
  leadAnswer,
  logFileAnswers,
  type OperationDescription,
  pageAnswer,
  recordAnswer,
  recordContent,
  recordXml,
  refusalAnswer,
  shapeAnswer,
  shapeContent,
  textParameter,
  wholeParameter,
  wordParameter,
} from '../../http/described.ts';
import { fields, text } from '../../lib/json-shape.ts';
import { containerReport } from '../../wire/cluster/container-messages.ts';
import { containerLogFiles } from '../../wire/cluster/own-answers.ts';
import { nodeApplication, nodeApplications } from '../../wire/node/applications.ts';
import { auxiliaryServices } from '../../wire/node/auxiliary-services.ts';
import { containerLogsInfoes } from '../../wire/node/container-logs.ts';
import { nodeContainer, nodeContainers } from '../../wire/node/containers.ts';
import { fileHeaders, folderListing, mostFileBytes } from '../../wire/node/files.ts';
import { nodeInfo } from '../../wire/node/node-info.ts';
import { gpuInformationJson, gpuInformationXml } from '../../wire/node/resource-information.ts';
import { containersUsage, containerUsage, nodeUsage } from '../../wire/node/usage.ts';
import { startRequest } from './container-handlers.ts';

const node = '/ws/v1/node';
const own = '/api/v1/containers/:containerid';

const nodeId = textParameter('The node that the caller takes the logs to be on.');
const redirected = flagParameter('Another server sent the caller here.');
const logFile: OperationDescription = {
  query: {
    follow: flagParameter('Not taken here: see /api/v1.'),
    size: wholeParameter('So many bytes from the start; below 0 from the end.'),
    format: wordParameter(['text', 'octet-stream']),
    'nm.id': nodeId,
    redirected_from_node: redirected,
  },
  answers: [contentAnswer('The file.', [{ type: 'text/plain' }, { type: 'application/octet-stream' }])],
};
const page = answering(pageAnswer);
const held = shapeAnswer(fields({ containerId: text(), state: text() }));

const inContainer = {
  path: textParameter("From the container's folder on; the folder itself where it is left out."),
  pathBase64: textParameter('The same, as bytes in base64: for names that are no UTF-8.'),
};

export const describedRoutes: InterfaceDescription = {
  [`GET ${node}`]: answering(recordAnswer(nodeInfo)),
  [`GET ${node}/info`]: answering(recordAnswer(nodeInfo)),
  [`GET ${node}/apps`]: {
    query: {
      state: wordParameter(['NEW', 'INITING', 'RUNNING', 'FINISHING_CONTAINERS_WAIT', 'APPLICATION_RESOURCES_CLEANINGUP', 'FINISHED']),
      user: textParameter(),
    },
    answers: [recordAnswer(nodeApplications)],
  },
  [`GET ${node}/apps/:appid`]: answering(recordAnswer(nodeApplication)),
  [`GET ${node}/containers`]: answering(recordAnswer(nodeContainers)),
  [`GET ${node}/containers/:containerid`]: answering(recordAnswer(nodeContainer)),
  [`GET ${node}/containers/:containerid/logs`]: {
    query: { 'nm.id': nodeId, redirected_from_node: redirected },
    answers: [recordAnswer(containerLogsInfoes)],
  },
  [`GET ${node}/resources/:resourcename`]: answering(
    contentAnswer('What is known; nothing of what has no plug-in.', [recordContent(gpuInformationJson), recordXml(gpuInformationXml)]),
  ),
  [`GET ${node}/auxiliaryservices`]: answering(recordAnswer(auxiliaryServices)),
  [`PUT ${node}/auxiliaryservices`]: {
    body: { type: 'application/json', schema: () => ({ type: 'object' }) },
    answers: [bareAnswer],
  },
  [`PUT ${node}/yarn/sysfs/:user/:appid`]: answering(refusalAnswer(400, 'Not offered.')),
  [`GET ${node}/containers/:containerid/logs/:filename`]: logFile,
  [`GET ${node}/containerlogs/:containerid/:filename`]: logFile,
  [`GET ${own}`]: answering(shapeAnswer(containerReport)),
  [`POST ${own}`]: { body: shapeContent(startRequest), answers: [shapeAnswer(containerReport, 202, 'It is being started.')] },
  [`DELETE ${own}`]: answering(shapeAnswer(containerReport, 202, 'It is being ended.')),
  [`POST ${own}/pause`]: answering(held),
  [`POST ${own}/resume`]: answering(held),
  [`GET ${own}/usage`]: answering(shapeAnswer(containerUsage)),
  [`GET ${own}/files`]: { query: inContainer, answers: [shapeAnswer(folderListing)] },
  [`GET ${own}/files/content`]: {
    query: {
      ...inContainer,
      offset: wholeParameter('The first byte; below 0 counted from the end.'),
      length: wholeParameter('So many bytes at most.', { minimum: 0, maximum: mostFileBytes }),
      follow: flagParameter('Goes on as the file grows, while the container runs, for ten minutes at most.'),
    },
    answers: [
      {
        ...contentAnswer('The bytes.', [{ type: 'application/octet-stream' }]),
        headers: {
          [fileHeaders.bytes]: 'How many bytes the file had when it was opened.',
          [fileHeaders.start]: 'The byte that the answer begins with.',
          [fileHeaders.modifiedTime]: 'When it was changed, in milliseconds since the epoch.',
        },
      },
    ],
  },
  'GET /api/v1/usage': answering(shapeAnswer(nodeUsage)),
  'GET /api/v1/usage/containers': answering(shapeAnswer(containersUsage)),
  'GET /api/v1/applications/:appid/usage': answering(shapeAnswer(containersUsage)),
  [`GET ${own}/logs`]: {
    query: { 'nm.id': nodeId, redirected_from_node: redirected },
    answers: [shapeAnswer(containerLogFiles), leadAnswer(307, 'To where logs are gathered.')],
  },
  [`GET ${own}/logs/:filename`]: {
    query: {
      follow: flagParameter('Goes on while the container runs.'),
      size: logFile.query!['size']!,
      format: logFile.query!['format']!,
      'nm.id': nodeId,
      redirected_from_node: redirected,
    },
    headers: { Range: { schema: { type: 'string' }, about: '`bytes=0-99`.' } },
    answers: [...logFileAnswers, leadAnswer(307, 'To where logs are gathered.')],
  },
  'GET /': answering(leadAnswer(302, 'To the pages.')),
  'GET /node': page,
  'GET /node/node': page,
  'GET /node/allApplications': page,
  'GET /node/allContainers': page,
  'GET /node/application/:id': page,
  'GET /node/container/:id': page,
  'GET /node/application': page,
  'GET /node/container': page,
  'GET /node/errors-and-warnings': page,
  'GET /node/containerlogs/:container/:user': page,
  'GET /node/containerlogs/:container/:user/:file': page,
  '/api/v1/auxiliary/:name/*': answering(contentAnswer('What the service answers.', [{ type: '*/*' }])),
};
