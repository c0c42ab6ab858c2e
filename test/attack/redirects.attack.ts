// Redirects of a running cluster: where its servers send their callers, and what those take along.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { aServer, folderOf, runAs, send, startCluster, submit, unmanaged } from './harness.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** Those that there are at least, so that none is missed because nothing was asked for. */
const expected = [
  ...['/', '/ui', '/proxy/ID', '/cluster/app/ID'].map((path) => `resourceManager ${path}`),
  ...['/containers/CONTAINER/logs', '/containers/CONTAINER/logs/stdout'].flatMap((path) => [
    `resourceManager /api/v1${path}`,
    `nodeManager /api/v1${path}`,
    `nodeManager /ws/v1/node${path}`,
    `timeline /ws/v1/applicationhistory${path}`,
    `reader /ws/v2/applicationlog${path}`,
  ]),
  ...['/node/containerlogs/CONTAINER/ann', '/node/containerlogs/CONTAINER/ann/stdout'].map((path) => `nodeManager ${path}`),
  'timeline /applicationhistory/logs/ID/CONTAINER/ID/ann',
  ...['/containers/CONTAINER/logs', '/containerlogs/CONTAINER/stdout'].map((path) => `history /ws/v1/history${path}`),
];

/** A redirect, and what asked for it. */
interface Redirect {
  readonly asked: string;
  readonly location: URL;
  /** All that was answered: headers and text. */
  readonly text: string;
}

describe('a redirect', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let logServer: Awaited<ReturnType<typeof aServer>>;
  let running: string;
  let ended: string;
  /** Delegation tokens by the server that gave them. */
  const tokens = new Map<string, string>();
  before(async () => {
    const logs = made.use(folderOf()).path;
    logServer = made.use(await aServer((_request, response) => void response.end()));
    const settings = {
      // Where the nodes send readers of logs that are no longer with them: a server that is none of the cluster's.
      'yarn.log.server.web-service.url': `http://127.0.0.1:${logServer.port}/ws/v1/history`,
      'yarn.log-aggregation-enable': 'true',
      'yarn.nodemanager.remote-app-log-dir': logs,
      'yarn.timeline-service.versions': '1.5f,2.0f',
      'yarn.timeline-service.generic-application-history.enabled': 'true',
      'heddle.node-manager.switch-users': 'false',
    };
    cluster = made.use(await startCluster({ settings }));
    const { resourceManager, timeline } = cluster.urls;
    for (const [server, path] of [
      [resourceManager, '/ws/v1/cluster/info'],
      [timeline, '/ws/v1/timeline'],
    ] as const) {
      const { body } = await send(`${server}${path}?op=GETDELEGATIONTOKEN&renewer=ann&user.name=ann`);
      tokens.set(server, (JSON.parse(body) as { Token: { urlString: string } }).Token.urlString);
    }
    const where = ['--conf', cluster.confDir, '--data', cluster.dataDir];
    const { stdout, stderr } = await runAs(undefined, [
      process.execPath,
      main,
      'run',
      ...where,
      '--detach',
      '--user',
      'ann',
      '--',
      'sleep',
      '600',
    ]);
    running = /application_\d+_\d+/.exec(stdout)?.[0] ?? assert.fail(stderr);
    await until('it to run', async () => {
      const { body } = await send(`${timeline}/ws/v1/applicationhistory/apps/${running}?user.name=ann`);
      return /"RUNNING"/.test(body);
    });
    ended = (await submit(resourceManager, 'echo a word > <LOG_DIR>/stdout', { user: 'ann' })).id;
    await until('an end, and its logs to be gathered', async () => {
      const { app } = JSON.parse((await send(`${resourceManager}/ws/v1/cluster/apps/${ended}?user.name=ann`)).body) as {
        app: { state: string; logAggregationStatus: string };
      };
      return /FINISHED|FAILED/.test(app.state) && /SUCCEEDED|FAILED|TIME_OUT/.test(app.logAggregationStatus);
    });
    await until('the timeline to know the application', async () => {
      const { body } = await send(`${timeline}/ws/v1/applicationhistory/apps/${ended}?user.name=ann`);
      return /FINISHED|FAILED/.test(body);
    });
  });
  after(() => made.disposeAsync());

  /** Asks for every path that a server describes, of each application, with all that could be taken along; gives what is a redirect. */
  async function redirectsOf(server: string, queries: readonly string[]): Promise<Redirect[]> {
    const { paths } = JSON.parse((await send(`${server}/openapi.json?user.name=ann`)).body) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const templates = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
    assert.ok(templates.length > 10, server);
    const found: Redirect[] = [];
    for (const id of [running, ended, 'application_1_0001']) {
      const suffix = id.slice('application_'.length);
      const nameOf = (name: string): string =>
        /container/i.test(name)
          ? `container_${suffix}_01_000001`
          : /attempt/i.test(name)
            ? `appattempt_${suffix}_000001`
            : /file/i.test(name)
              ? 'stdout'
              : /user/i.test(name)
                ? 'ann'
                : /job/i.test(name)
                  ? `job_${suffix}`
                  : id;
      for (const template of [...templates, '//evil.example/', '//evil.example/ui', '/%5cevil.example', '/ui/%2f%2fevil.example'])
        for (const query of queries) {
          const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => nameOf(name));
          const answer = await fetch(`${server}${path}${path.includes('?') ? '&' : '?'}${query}`, {
            redirect: 'manual',
            signal: AbortSignal.timeout(20_000),
            headers: {
              accept: '*/*',
              cookie: 'hadoop.auth=a-cookie-of-ann; own=1',
              'x-forwarded-host': 'evil.example',
              forwarded: 'host=evil.example;proto=https',
              'x-forwarded-proto': 'https',
              referer: 'http://evil.example/',
            },
          });
          const location = answer.headers.get('location');
          assert.ok(answer.status < 500 || answer.status === 503, `${server}${path} ${answer.status}`);
          if (location === null) await answer.body?.cancel();
          else
            found.push({
              asked: path.replaceAll(nameOf('container'), 'CONTAINER').replaceAll(id, 'ID'),
              location: new URL(location, server),
              text: `${[...answer.headers].join('\n')}\n${await answer.text()}`,
            });
        }
    }
    return found;
  }

  it('leads to servers that the settings name alone, and takes no token along, however it is written', async () => {
    const { urls } = cluster;
    const known = new Set([...Object.values(urls).map((url) => new URL(url).host), `127.0.0.1:${logServer.port}`]);
    const kinds = new Set<string>();
    for (const [name, server] of Object.entries(urls)) {
      const token = tokens.get(server) ?? tokens.get(urls.resourceManager)!;
      const queries = [
        `user.name=ann&nm.id=evil.example:80&redirected_from_node=false&delegation=${token}`,
        `%64elegation=${token}&nm.id=evil.example:80&delegatio%6E=${token}&user.name=ann`,
        `user.name=ann&manual_redirection=true&nm.id=evil.example:80`,
        // Heddle's own interface refuses parameters of Hadoop's.
        `user.name=ann&delegation=${token}`,
      ];
      for (const { asked, location, text } of await redirectsOf(server, queries)) {
        kinds.add(`${name} ${asked}`);
        assert.ok(known.has(location.host), `${name} ${asked} leads to ${location}`);
        assert.equal(location.protocol, 'http:', `${name} ${asked} leads to ${location}`);
        assert.equal(`${location.username}${location.password}`, '', `${name} ${asked} leads to ${location}`);
        for (const secret of [token, 'a-cookie-of-ann']) assert.ok(!text.includes(secret), `${name} ${asked}: ${text}`);
      }
    }
    for (const kind of expected) assert.ok(kinds.has(kind), `${kind} is no redirect: ${[...kinds].join(', ')}`);
  });

  it('through the web proxy neither brings a master what its visitor proves himself with, nor takes it elsewhere', async () => {
    const { resourceManager } = cluster.urls;
    const token = tokens.get(resourceManager)!;
    using master = await aServer((request, response) => {
      const to = new URLSearchParams(request.url?.split('?')[1]).get('to');
      if (to === null) response.end('here');
      else response.writeHead(307, { Location: to }).end();
    });
    const own = `http://127.0.0.1:${master.port}`;
    const id = await unmanaged(resourceManager, `${own}/base`);
    const headers = {
      Authorization: 'Basic YW5uOnNlY3JldA==',
      'Proxy-Authorization': 'Basic YW5uOnNlY3JldA==',
      Cookie: 'hadoop.auth=a-cookie-of-ann; heddle.session=a-session-of-ann; hadoop-jwt=a-cookie-of-ann',
    };
    const secrets = [token, 'YW5uOnNlY3JldA==', 'a-cookie-of-ann', 'a-session-of-ann'];
    const ask = (below: string, more: Record<string, string> = {}) =>
      send(`${resourceManager}/proxy/${id}${below}`, { headers: { ...headers, ...more } });
    const withToken: readonly (readonly [string, Record<string, string>])[] = [
      [`/page?delegation=${token}`, {}],
      [`/page?a=b&%64elegation=${token}&delegatio%6e=${token}`, {}],
      ['/page', { 'X-Hadoop-Delegation-Token': token }],
      ['/page', { 'Hadoop-YARN-RM-Delegation-Token': token }],
      // Within the master the proxy goes after it itself.
      [`/page?delegation=${token}&to=/base/other`, {}],
    ];
    for (const [below, more] of withToken) {
      const { status, body } = await ask(below, more);
      assert.equal(status, 200, `${below}: ${body}`);
      assert.equal(body, 'here');
    }
    assert.equal(master.asked.length, withToken.length + 1);
    const seen = JSON.stringify([master.asked, master.headers]);
    for (const secret of secrets) assert.ok(!seen.includes(secret), seen);

    const away = (to: string) => ask(`/page?to=${encodeURIComponent(to)}`);
    for (const to of [
      'http://evil.example/',
      '//evil.example/',
      'http://ann:pw@127.0.0.1/',
      'javascript:alert(1)',
      `http://127.0.0.1.evil.example/`,
    ])
      assert.equal((await away(to)).status, 403, to);
    // To a server of the cluster it may send its visitors, but puts no token into their hands.
    const lead = await away(`${resourceManager}/ws/v1/cluster/info?delegation=${token}&a=b#c`);
    assert.deepEqual([lead.status, lead.headers['location']], [307, `${resourceManager}/ws/v1/cluster/info?a=b#c`]);
  });
});
