import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { composeAuthenticator } from '../auth/composition.ts';
import { anonymousCaller } from '../auth/simple.ts';
import { ManualClock } from '../lib/clock.ts';
import { keepingLastLines, type Logger } from '../lib/log.ts';
import { levelOf } from '../lib/log-level.ts';
import { failure } from '../model/errors.ts';
import { logLevelRoutes } from './log-level.ts';
import { profiles } from './profiles.ts';
import { createService, type Service } from './service.ts';

const startMs = Date.UTC(2026, 10, 29, 12, 0, 0);
let clock: ManualClock;
let logger: Logger;
let lines: string[];
let changes: string[];
const services: Service[] = [];

/** The page of a server; `mayChange` false: whoever wants to change it is refused. */
function pageOf(of: { readonly logger: Logger }, mayChange = true): Service {
  const service = createService({
    name: 'test',
    profile: profiles.nodeManager,
    address: '127.0.0.1:0',
    logger: of.logger,
    authenticator: composeAuthenticator({ proofs: [], nobody: anonymousCaller('dr.who') }),
  });
  const routes = logLevelRoutes({
    ...{ logger: of.logger, clock },
    mayChange: () => {
      if (!mayChange) throw failure('INSTRUMENTATION_REFUSED', { user: 'eve' });
    },
    changed: (_call, change) => changes.push(change),
  });
  for (const route of routes) service.route(route);
  services.push(service);
  return service;
}

beforeEach(() => {
  clock = new ManualClock(startMs);
  lines = [];
  changes = [];
  logger = keepingLastLines({ name: 'node-manager', level: 'info' }, (line) => lines.push(line));
});
after(async () => {
  for (const service of services) await service.close();
});

/** What `yarn daemonlog` prints of an answer. */
const said = (body: string): string[] =>
  body
    .split('\n')
    .filter((line) => line.startsWith('<!-- OUTPUT -->'))
    .map((line) => line.replaceAll(/<[^>]*>/g, '').trim());

const ask = async (service: Service, query: string, method: 'GET' | 'POST' = 'GET') => {
  const { statusCode, body } = await service.inject({ method, url: `/logLevel${query}` });
  return { status: statusCode, said: said(body), body };
};

describe('the page of the level of a log', () => {
  it('shows the level and changes it until the server is started anew, and says so', async () => {
    const page = pageOf({ logger });
    assert.deepEqual((await ask(page, '?log=any.Class')).said, ['Submitted Class Name: any.Class', 'Effective Level: INFO']);
    assert.deepEqual((await ask(page, '?log=any.Class&level=DEBUG')).said, [
      'Submitted Class Name: any.Class',
      'Submitted Level: debug',
      'Setting Level to DEBUG ...',
      'Effective Level: DEBUG',
      'Until this server is started anew; with for=10m it would be for ten minutes.',
    ]);
    clock.advance(30 * 86_400_000);
    assert.equal(logger.level, 'debug');
    assert.deepEqual((await ask(page, '')).said, ['Effective Level: DEBUG']);
    assert.deepEqual(changes, ['debug']);
  });

  it('changes it for a time, after which it is as it was', async () => {
    const page = pageOf({ logger });
    assert.deepEqual((await ask(page, '?level=debug&for=10m', 'POST')).said, [
      'Submitted Level: debug',
      'Setting Level to DEBUG ...',
      'Effective Level: DEBUG',
      'Until 2026-11-29T12:10:00.000Z, then INFO again.',
    ]);
    clock.advance(599_999);
    assert.deepEqual(levelOf(logger), { level: 'debug', change: { untilMs: startMs + 600_000, afterwards: 'info' } });
    assert.deepEqual((await ask(page, '')).said, ['Effective Level: DEBUG', 'Until 2026-11-29T12:10:00.000Z, then INFO again.']);
    clock.advance(1);
    assert.deepEqual(levelOf(logger), { level: 'info' });
    assert.match(lines.at(-1) ?? '', /"writtenFrom":"info","msg":"the log is written from its usual level on again"/);
    assert.deepEqual((await ask(page, '')).said, ['Effective Level: INFO']);
    assert.deepEqual(changes, ['debug for 600 s']);
  });

  it('goes back to what counted before all changes for a time, and forgets them where one is made without', async () => {
    // Two services of one server.
    const [page, other] = [pageOf({ logger }), pageOf({ logger })];
    await ask(page, '?level=debug&for=10m');
    clock.advance(60_000);
    await ask(other, '?level=trace&for=20m');
    clock.advance(600_000);
    assert.equal(logger.level, 'trace', 'the end of the first counts no more');
    clock.advance(600_000);
    assert.equal(logger.level, 'info');
    await ask(page, '?level=trace&for=1h');
    await ask(other, '?level=warn');
    clock.advance(7_200_000);
    assert.deepEqual(levelOf(logger), { level: 'warn' });
    await ask(page, '?level=debug&for=1d');
    clock.advance(86_400_000);
    assert.equal(logger.level, 'warn');
  });

  it('changes nothing for words that are no level or no time, and for who may not', async () => {
    const page = pageOf({ logger });
    assert.deepEqual((await ask(page, '?level=loud&for=10m')).said, [
      'Submitted Level: loud',
      'Bad Level : loud; use one of fatal, error, warn, info, debug, trace, silent.',
      'Effective Level: INFO',
    ]);
    for (const time of ['', 'soon', '0', '-1', '999ms', '8d', '1e3', '10m,20m', '9'.repeat(400)]) {
      const { status, body } = await ask(page, `?level=debug&for=${time}`);
      assert.equal(status, 400, time);
      assert.match(body, /for must be a time from a second to seven days, such as 90, 10m or 2h\./);
    }
    const { status, body } = await ask(page, '?for=10m');
    assert.equal(status, 400);
    assert.match(body, /give level, too/);
    assert.equal((await ask(pageOf({ logger }, false), '?level=debug&for=10m')).status, 403);
    assert.deepEqual(levelOf(logger), { level: 'info' });
    assert.deepEqual(changes, []);
  });

  it('has buttons for both', async () => {
    const { body } = await ask(pageOf({ logger }), '?log=a%26b');
    assert.match(body, /formaction="\/logLevel\?log=a%26b&amp;level=debug&amp;for=10m"/);
    assert.match(body, /formaction="\/logLevel\?log=a%26b&amp;level=debug"/);
  });
});
