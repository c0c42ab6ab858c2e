// Every route of the resource manager: method, path, who answers. One function a group; each is given what its handlers work with.

import type { AuditLog } from '../../auth/audit-log.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { containerRoutes, rootRoutes } from '../../http/container-pages.ts';
import { configurationRoutes, readyRoutes, servlet, stackRoutes } from '../../http/daemon-pages.ts';
import { behind, instrumentationGate } from '../../http/instrumentation.ts';
import { jmxRoutes } from '../../http/jmx.ts';
import { logLevelRoutes } from '../../http/log-level.ts';
import { mountOpenApi } from '../../http/open-api.ts';
import { profiles } from '../../http/profiles.ts';
import { prometheusRoutes } from '../../http/prometheus.ts';
import type { Route, Service } from '../../http/service.ts';
import { wadlRoute } from '../../http/wadl.ts';
import { mountWebPages } from '../../http/web-pages.ts';
import type { ReadinessSource } from '../../lib/role.ts';
import { appPriority, appQueue, appState, appTimeout } from '../../wire/cluster/application.ts';
import { delegationToken } from '../../wire/cluster/delegation-token.ts';
import { nodeLabels, nodeToLabelsEntries } from '../../wire/cluster/node-labels.ts';
import { reservationDelete, reservationSubmission, reservationUpdate } from '../../wire/cluster/reservation.ts';
import { resourceOption } from '../../wire/cluster/resource.ts';
import { labelRoots, reservationRoots, unwrappedRoots, wrappedRoots } from '../../wire/cluster/roots.ts';
import { plainSubmission, submissionContext } from '../../wire/cluster/submission.ts';
import type { Parts } from '../views/parts.ts';
import {
  type ApplicationChangesNeeds,
  changePriority,
  changeQueue,
  changeState,
  changeTimeout,
  signalContainer,
} from './application-changes.ts';
import { answerNewApplication, answerPlainSubmission, answerSubmission, type SubmissionNeeds } from './application-submission.ts';
import * as applications from './applications.ts';
import { type ApplicationApiNeeds, applicationApiRoutes } from './applications-api.ts';
import { awaitedThingRoutes } from './awaited-things.ts';
import { beansOf } from './beans.ts';
import type { KnownCaller } from './callers.ts';
import { answerInfo, answerMetrics, answerUserInfo } from './cluster-facts.ts';
import { pageRoutes } from './cluster-pages.ts';
import { eventRoutes } from './events.ts';
import { explainRoutes } from './explain.ts';
import { jobFolderRoute } from './job-folders.ts';
import * as labels from './labels.ts';
import { mounting } from './mounting.ts';
import { nodeContainerRoutes } from './node-containers.ts';
import { answerNode, answerNodes, changeNodeResource, type NodeChangeNeeds } from './nodes.ts';
import { pageFactRoutes } from './page-facts.ts';
import { placementRoutes } from './placement.ts';
import { mountProxy, type ProxyNeeds } from './proxy-routes.ts';
import * as reservations from './reservations.ts';
import { samplesOf } from './samples.ts';
import { cancelToken, createToken, renewToken, type TokenNeeds } from './tokens.ts';

/** Where Hadoop's interface lies. */
export const clusterPath = '/ws/v1/cluster';

/** Facts about the cluster. */
export function mountFacts(service: Service, parts: Parts): void {
  const { get } = mounting(service, clusterPath, parts);
  get('', 'Facts about the cluster.', 'facts', answerInfo);
  get('/info', 'Facts about the cluster.', 'facts', answerInfo);
  get('/userinfo', 'Who runs the resource manager and who asks.', 'facts', answerUserInfo);
  get('/metrics', 'Numbers of the cluster.', 'facts', answerMetrics);
}

/** Applications: reading, submitting, changing. */
export function mountApplications(service: Service, parts: Parts & SubmissionNeeds & ApplicationChangesNeeds): void {
  const { get, change, send } = mounting(service, clusterPath, parts);
  get('/apps', 'Applications, by filters.', 'overview', applications.answerApplications);
  send('POST', '/apps', 'Submits an application.', 'submit', submissionContext, answerSubmission, unwrappedRoots);
  change('POST', '/apps/new-application', 'Hands out an application id.', 'named', answerNewApplication);
  get('/appstatistics', 'Numbers of applications by state and type.', 'facts', applications.answerStatistics);
  get('/apps/:appid', 'One application.', 'overview', applications.answerApplication);
  get('/apps/:appid/state', "An application's state inside the resource manager.", 'facts', applications.answerState);
  send('PUT', '/apps/:appid/state', 'Kills an application.', 'modify', appState, changeState);
  get('/apps/:appid/queue', "An application's queue.", 'facts', applications.answerQueue);
  send('PUT', '/apps/:appid/queue', 'Moves an application.', 'modify', appQueue, changeQueue, unwrappedRoots);
  get('/apps/:appid/priority', "An application's priority.", 'facts', applications.answerPriority);
  send('PUT', '/apps/:appid/priority', 'Changes the priority.', 'modify', appPriority, changePriority, unwrappedRoots);
  get('/apps/:appid/timeouts', "An application's timeouts.", 'facts', applications.answerTimeouts);
  get('/apps/:appid/timeouts/:type', 'One timeout.', 'facts', applications.answerTimeout);
  send('PUT', '/apps/:appid/timeout', 'Changes the lifetime.', 'modify', appTimeout, changeTimeout, wrappedRoots);
  get('/apps/:appid/appattempts', 'Attempts of an application.', 'overview', applications.answerAttempts);
  get('/apps/:appid/appattempts/:appattemptid', 'One attempt.', 'view', applications.answerAttempt);
  get('/apps/:appid/appattempts/:appattemptid/containers', 'Live containers of an attempt.', 'view', applications.answerContainers);
  get('/apps/:appid/appattempts/:appattemptid/containers/:containerid', 'One live container.', 'view', applications.answerContainer);
  change('POST', '/containers/:containerid/signal/:command', 'Sends a signal to a container.', 'modify', signalContainer);
  service.route({
    method: 'POST',
    path: '/api/v1/applications',
    about: 'Submits an application in one call.',
    access: 'submit',
    body: plainSubmission,
    strictBody: true,
    consumes: ['json'],
    produces: ['json'],
    handle: (call) => answerPlainSubmission(parts, call),
  });
}

/** Nodes and their labels. */
export function mountNodes(service: Service, parts: Parts & NodeChangeNeeds & labels.LabelChangesNeeds): void {
  const { get, change, send } = mounting(service, clusterPath, parts);
  get('/nodes', 'Nodes, by state.', 'facts', answerNodes);
  get('/nodes/:nodeId', 'One node.', 'facts', answerNode);
  send('POST', '/nodes/:nodeId/resource', 'Changes what a node offers.', 'admin', resourceOption, changeNodeResource, unwrappedRoots);
  get('/nodes/:nodeId/get-labels', 'Labels of a node.', 'facts', labels.answerLabelsOfNode);
  change('POST', '/nodes/:nodeId/replace-labels', 'Replaces the labels of a node.', 'admin', labels.replaceLabelsOfNode);
  get('/get-node-to-labels', 'Nodes with their labels.', 'facts', labels.answerNodesWithLabels);
  get('/label-mappings', 'Labels with their nodes.', 'facts', labels.answerLabelMappings);
  get('/get-node-labels', 'All labels.', 'facts', labels.answerLabels);
  get('/get-rm-node-labels', 'All labels and the default partition.', 'facts', labels.answerManagerLabels);
  const entryRoots = ['nodeToLabelsEntry'];
  const anyName = { anyTypeName: true };
  send(
    'POST',
    '/replace-node-to-labels',
    'Replaces labels of nodes.',
    'admin',
    nodeToLabelsEntries,
    labels.replaceLabels,
    entryRoots,
    anyName,
  );
  send('POST', '/add-node-labels', 'Adds labels.', 'admin', nodeLabels, labels.addLabels, labelRoots, anyName);
  change('POST', '/remove-node-labels', 'Removes labels.', 'admin', labels.removeLabels);
}

/** Delegation tokens. */
export function mountTokens(service: Service, needs: TokenNeeds): void {
  const { change, send } = mounting(service, clusterPath, needs);
  send('POST', '/delegation-token', 'Creates a delegation token.', 'proven', delegationToken, createToken, unwrappedRoots);
  change('DELETE', '/delegation-token', 'Cancels a delegation token.', 'proven', cancelToken);
  change('POST', '/delegation-token/expiration', 'Renews a delegation token.', 'proven', renewToken);
}

/** Reservations. */
export function mountReservations(service: Service, needs: reservations.ReservationNeeds): void {
  const { get, change, send } = mounting(service, clusterPath, needs);
  change('POST', '/reservation/new-reservation', 'Hands out a reservation id.', 'named', reservations.answerNewReservation);
  send(
    'POST',
    '/reservation/submit',
    'Submits a reservation.',
    'submit',
    reservationSubmission,
    reservations.submitReservation,
    reservationRoots,
  );
  send(
    'POST',
    '/reservation/update',
    'Changes a reservation.',
    'modify',
    reservationUpdate,
    reservations.updateReservation,
    reservationRoots,
  );
  send('POST', '/reservation/delete', 'Ends a reservation.', 'modify', reservationDelete, reservations.deleteReservation);
  get('/reservation/list', 'Reservations of a queue.', 'view', reservations.answerReservations);
}

/** What routes beside Hadoop's interface work with. */
export interface BesideNeeds extends Parts, ApplicationApiNeeds, ProxyNeeds {
  readonly caller: KnownCaller;
  readonly audit: AuditLog;
  readonly readiness: ReadinessSource;
}

/** What stands beside Hadoop's interface: the plain API for applications, pages, `/jmx`, metrics, logs, the web proxy, descriptions. */
export function mountBeside(service: Service, needs: BesideNeeds): void {
  const { configuration, logger, clock, access, audit, caller } = needs;
  const isAdministrator = (user: string) => access.isAdministrator(user);
  const gate = instrumentationGate(configuration, isAdministrator);
  const beside: Route<never>[] = [
    ...applicationApiRoutes(needs),
    ...eventRoutes(needs),
    ...explainRoutes(needs),
    ...nodeContainerRoutes(needs),
    ...awaitedThingRoutes(needs),
    ...placementRoutes(needs),
    ...pageFactRoutes(needs),
    jobFolderRoute(configuration),
    ...pageRoutes(needs),
    ...rootRoutes('/cluster'),
    ...containerRoutes(gate),
    ...servlet('/isActive', 'Whether this resource manager is the active one.', 'facts', () => ({
      kind: 'rendered',
      status: 200,
      body: 'I am Active!',
      contentType: 'text/plain;charset=utf-8',
    })),
    ...behind(gate, [
      ...configurationRoutes(configuration),
      ...jmxRoutes(() => beansOf(needs, service.figures)),
      ...logLevelRoutes({
        ...{ logger, clock },
        mayChange: (call) => access.administrator(caller(call.caller), 'change the log level'),
        changed: (call, change) => audit.changed(call.caller, { operation: 'change the log level', target: change }),
      }),
      ...stackRoutes(),
    ]),
    ...readyRoutes(needs.readiness),
    ...prometheusRoutes(configuration, {
      collect: () => samplesOf(needs),
      requests: service.figures,
      times: [needs.store.commitTimes, needs.cluster.schedulingFigures.slices],
    }),
  ];
  for (const route of beside) service.route(route);
  mountWebPages(service, { configuration, role: 'resource-manager', isAdministrator, log: { logger, clock }, gate });
  service.route(wadlRoute(service, profiles.resourceManager.wadlType));
  if (configuration.values(commonSettings).webProxyAddress === undefined) mountProxy(service, needs);
}

/** Describes every route that the service has. */
export const mountDescription = (service: Service): void =>
  mountOpenApi(service, {
    title: 'Heddle resource manager',
    profile: profiles.resourceManager,
    described: async () => (await import('./described-routes.ts')).describedRoutes,
  });
