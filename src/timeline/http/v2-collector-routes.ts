// /ws/v2/timeline on the collector (TimelineCollectorWebService), and what the resource manager tells version 2.
import type { IncomingMessage } from 'node:http';
import type { Audit } from '../../auth/audit-log.ts';
import { changeRefusal } from '../../auth/bearer/restriction.ts';
import { type Answer, empty, json, ok } from '../../http/answers.ts';
import { profiles } from '../../http/profiles.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { bodyFormat } from '../../wire/codec/read.ts';
import { timelineAbout } from '../../wire/timeline/v1-records.ts';
import { nodeWritesPath, systemWritesPath } from '../../wire/timeline/v2-entity.ts';
import type { Collector } from '../v2/collector.ts';
import { labelled } from './labelled.ts';
import type { CollectorFigures } from './read-figures.ts';
import type { SystemRule } from './security.ts';
import { checkDomainV2, readEntitiesV2, readSystemWrites } from './v2-bodies.ts';

const base = '/ws/v2/timeline';
const bodyLimitBytes = 32 * 1024 * 1024;

/** The collector answers errors in XML to those who ask for nothing else. */
function asCollector(call: Call, work: () => Promise<Answer>): Promise<Answer> {
  const format = call.headers.accept === undefined ? 'xml' : call.format;
  return labelled(profiles.reader, call, { format, contentType: `application/${format}` }, work);
}

function checkedJson(call: Call): Buffer {
  const contentType = call.headers['content-type'];
  if (contentType !== undefined && bodyFormat(contentType) !== 'json') {
    throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType, accepted: 'application/json' });
  }
  return call.body as Buffer;
}

/** What the routes work with. */
export interface CollectorRouteParts {
  readonly collector: Collector;
  readonly audit: Audit;
  readonly figures: Pick<CollectorFigures, 'counted'>;
  /** Whether a user may write for an application of `owner`. */
  readonly mayWrite: (user: string, owner: string) => boolean;
}

/** Adds the routes of the collector. */
export function addCollectorRoutes(service: Service, { collector, audit, mayWrite, figures }: CollectorRouteParts): void {
  service.route({
    method: 'GET',
    path: base,
    produces: ['json'],
    about: 'About the collector',
    access: 'facts',
    handle: () => ok(timelineAbout, { About: 'Timeline Collector API' }),
  });
  const put = (path: string, about: string, take: (call: Call, application: string, body: Buffer) => Promise<void>, what: string) =>
    service.route({
      method: 'PUT',
      path: `${base}${path}`,
      body: 'raw',
      produces: 'any',
      bodyLimitBytes,
      about,
      access: 'submit',
      handle: (call: Call) =>
        asCollector(call, async () => {
          const body = checkedJson(call);
          // In these words for domains, too.
          if (call.user === undefined) throw failure('TIMELINE_OWNER_MISSING', { what: 'entities' });
          const application = call.query.first('appid')?.trim();
          if (application === undefined) return empty(400);
          const context = collector.context(application);
          if (!mayWrite(call.user, context.user)) throw failure('COLLECTOR_WRITE_REFUSED', { user: call.user, id: application });
          if (call.caller.restriction) {
            const refusal = changeRefusal(call.caller, { id: application, user: context.user, queue: collector.queueOf(context) });
            if (refusal) throw refusal;
          }
          await take(call, application, body);
          audit.changed(call.caller, { operation: `put timeline ${what}`, target: application });
          return empty(200);
        }),
    });
  put(
    '/entities',
    'Put entities of an application',
    (call, application, body) => {
      const asUser = call.query.first('subappwrite')?.trim().toLowerCase() === 'true' ? call.user : undefined;
      const isAsync = call.query.first('async')?.trim().toLowerCase() === 'true';
      return figures.counted(isAsync ? 'AsyncPutEntities' : 'PutEntities', () => collector.put(application, readEntitiesV2(body), asUser));
    },
    'entities',
  );
  put('/domain', 'Put a domain', async (_call, _application, body) => checkDomainV2(body), 'domain');
}

/** Adds the path on which the resource manager tells what happens; only who proves to be it is heard. */
export function addSystemRoutes(service: Service, collector: Collector, isSystem: SystemRule): void {
  service.route({
    method: 'POST',
    path: systemWritesPath,
    body: 'raw',
    produces: ['json'],
    bodyLimitBytes,
    about: 'What the resource manager tells about applications',
    access: 'own-credentials',
    handle: async (call: Call) => {
      if (!isSystem(call.caller)) throw failure('SYSTEM_WRITE_REFUSED', { user: call.user ?? 'nobody' });
      const writes = readSystemWrites(checkedJson(call));
      await collector.system(writes);
      return json({ written: writes.length });
    },
  });
}

/** Adds the path on which nodes tell what their containers use; only who has proven on its connection to be a node is heard. */
export function addNodeRoutes(service: Service, collector: Collector, isNode: (request: IncomingMessage) => boolean): void {
  service.route({
    method: 'POST',
    path: nodeWritesPath,
    body: 'raw',
    produces: ['json'],
    bodyLimitBytes,
    about: 'What nodes tell about containers, on a connection that they have proven',
    access: 'own-credentials',
    authentication: 'none',
    handle: async (call: Call) => {
      if (!isNode(call.request)) throw failure('CONNECTION_UNPROVEN');
      const writes = readSystemWrites(checkedJson(call));
      await collector.ofNode(writes);
      return json({ written: writes.length });
    },
  });
}
