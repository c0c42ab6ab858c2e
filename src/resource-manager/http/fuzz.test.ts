// Whatever is sent to whatever path: never a 5xx, never silence. Requests are made from /openapi.json; a failure prints its seed;
// `HEDDLE_TEST_SEED=…` draws others.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { start } from '../server.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const settings = {
  'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.enabled': 'false',
  'yarn.acl.enable': 'true',
  'yarn.node-labels.enabled': 'true',
  'yarn.resourcemanager.reservation-system.enable': 'true',
  'yarn.scheduler.configuration.store.class': 'memory',
};
const words = [
  'application_1_0001',
  'appattempt_1_0001_000001',
  'container_1_0001_01_000001',
  'a:1',
  'root.default',
  '%zz',
  '%00',
  'a%2Fb',
  'LIFETIME',
  '-1',
  'x',
];
const members = [
  'application-id',
  'state',
  'queue',
  'priority',
  'timeout',
  'type',
  'expiryTime',
  'resource',
  'memory',
  'am-container-spec',
  'local-resources',
  'entry',
  'key',
  'value',
  'nodeLabelInfo',
  'name',
  'nodeToLabels',
  'nodeId',
  'labels',
  'reservation-definition',
  'reservation-requests',
  'reservation-request',
  'renewer',
  'update-queue',
  'params',
  'global-updates',
  'application-tags',
  'tag',
  'credentials',
  'tokens',
];
const queries = [
  'limit',
  'states',
  'state',
  'queue',
  'deSelects',
  'startedTimeBegin',
  'finalStatus',
  'cursor',
  'sort',
  'fields',
  'start-time',
  'labels',
  'groupBy',
  'maxTime',
  'qry',
  'get',
  'name',
  'op',
  'doAs',
  'delegation',
  'from',
  'kind',
];
/** Paths that wait on purpose, or that are not answered once. */
const skipped = /channel|bulk-activities|\/attempts\/|logLevel/;

const text = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 12 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('record'),
  ),
  record: fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 4 }),
}));
const xml = fc
  .tuple(fc.constantFrom(...members, 'appstate', 'application-submission-context', 'nodeLabelsInfo'), text)
  .map(([name, inner]) => `<${name}><${name}>${inner}</${name}></${name}>`);
const body = fc.oneof(
  value.map((made) => JSON.stringify(made)),
  xml,
  fc.string({ maxLength: 30 }),
);

describe('any request to the resource manager', () => {
  it('is answered below 500', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'heddle-fuzz-'));
    const role = await start(loadConfiguration({ dataDir, set: settings }), {
      logger: silentLogger,
      clock: systemClock,
      random: systemRandom,
    });
    const url = role.addresses['web'];
    try {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> };
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        skipped.test(path) ? [] : Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
      );
      const request = fc.record({
        operation: fc.constantFrom(...operations),
        names: fc.array(text, { minLength: 5, maxLength: 5 }),
        query: fc.dictionary(fc.constantFrom(...queries), text, { maxKeys: 2 }),
        body,
        contentType: fc.constantFrom('application/json', 'application/json', 'application/xml', 'text/plain'),
        accept: fc.constantFrom('*/*', 'application/json', 'application/xml', 'text/html'),
        user: fc.constantFrom('root', 'ada'),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ operation: { path, method }, names, query, body, contentType, accept, user }) => {
          let at = 0;
          const filled = path.replace(/\{\w+\}|\*/g, () => encodeURI(names[at++ % names.length]!).replace(/%25/g, '%') || 'x');
          const search = new URLSearchParams({ ...query, 'user.name': user });
          const response = await fetch(`${url}${filled}?${search}`, {
            method,
            redirect: 'manual',
            headers: { accept, ...(method === 'GET' ? {} : { 'content-type': contentType }) },
            ...(method === 'GET' ? {} : { body }),
            signal: AbortSignal.timeout(60_000),
          });
          // A stream of events has no end: its first piece is its answer.
          const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
          if (!isStream) await response.text();
          else for await (const _ of response.body!) break;
          assert.ok(response.status < 500, `${method} ${filled}?${search} answered ${response.status}`);
        }),
        { numRuns: Number(process.env['HEDDLE_TEST_RUNS'] ?? 600) },
      );
    } finally {
      await role.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
