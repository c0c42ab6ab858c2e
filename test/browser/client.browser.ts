// `heddle/client` as the package gives it to browsers, in a page of the cluster's own origin and in one of another: submits, lists, follows, tells events,
// and says what was refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';
import { oneBrowser } from './visitor.ts';

const root = join(import.meta.dirname, '../..');
/** The entry for browsers, below `dist`. */
const entry = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Record<string, Record<string, string>>> }
).exports['./client']!['browser']!['default']!.replace('./dist/', '');

const folder = mkdtempSync(join(tmpdir(), 'heddle-browser-client-'));
const importMap = { imports: { 'heddle/client': `/app/${entry}` } };
const html = `<!doctype html><title>A page that uses heddle/client</title><script type="importmap">${JSON.stringify(importMap)}</script>`;

let cluster: ClusterProcesses;
let browser: Browser;
/** A server of another origin, with the page and the package's files below \`/app/\`. */
let elsewhere: Server;

/** The page, or a file that it loads. */
function fileAt(path: string): { readonly contentType: string; readonly body: string } {
  if (path === '/app/') return { contentType: 'text/html', body: html };
  return { contentType: 'text/javascript', body: readFileSync(join(folder, path.slice('/app/'.length)), 'utf8') };
}

/** What the page does with the client, and what came of it. `base`, `user`: how it calls. */
const program = `async (base, user) => {
  const { ApiClient, RemoteFailure } = await import('heddle/client');
  const client = new ApiClient({ url: base, user, patienceMs: 0 });
  const refusal = (work) => work.then(() => 'done', (error) => [error instanceof RemoteFailure, error.status, error.message]);
  const ending = new AbortController();
  let place;
  for await (const event of client.events({ from: 'oldest' }, ending.signal)) { place = event.id; break; }
  const command = { 'application-name': 'of a page', run: { command: ['sh', '-c', 'sleep 1; exit 3'], retries: 0 } };
  const tried = await client.trySubmission(command);
  const { id: applicationId } = await client.submit(command, { key: 'once-' + user });
  const again = await client.submit(command, { key: 'once-' + user });
  const kinds = [];
  const told = (async () => {
    for await (const event of client.events({ applications: [applicationId], from: place }, ending.signal)) {
      kinds.push(event.kind);
      if (event.kind === 'application.finished') break;
    }
  })();
  const states = [];
  for await (const { state } of client.follow(applicationId)) states.push(state);
  await told;
  const listed = [];
  for await (const each of client.applications({ user, pageSize: 1 })) listed.push([each.id, each.name, each.finalStatus]);
  return {
    queue: tried.queue, applicationId, again: again.id, kinds, states, listed,
    unknown: await refusal(client.application('application_1_0001')),
    bad: await refusal(client.submit({ 'application-name': 'bad', run: { command: [] } })),
    nobody: await refusal(new ApiClient({ url: 'http://127.0.0.1:9', patienceMs: 0 }).application('application_1_0001')),
    killed: await refusal(client.kill(applicationId)),
  };
}`;

interface Outcome {
  readonly queue: string;
  readonly applicationId: string;
  readonly again: string;
  readonly kinds: readonly string[];
  readonly states: readonly string[];
  readonly listed: readonly (readonly [id: string, name: string, finalStatus: string])[];
  readonly unknown: readonly [isRemote: boolean, status: number, message: string];
  readonly bad: readonly [isRemote: boolean, status: number, message: string];
  readonly nobody: readonly [isRemote: boolean, status: number | undefined, message: string];
  readonly killed: unknown;
}

describe('heddle/client in a browser', { skip: browserNeeded }, () => {
  before(async () => {
    const project = {
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: {
        outDir: folder,
        rootDir: join(root, 'src'),
        declaration: false,
        sourceMap: false,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: [],
      files: [join(root, 'src', entry.replace(/\.js$/, '.ts'))],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'pipe' });
    elsewhere = createServer((request, response) => {
      try {
        const { contentType, body } = fileAt(new URL(request.url ?? '', 'http://page').pathname);
        response.writeHead(200, { 'content-type': contentType }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    cluster = await startProcesses({
      settings: {
        'yarn.resourcemanager.webapp.cross-origin.enabled': 'true',
        'hadoop.http.cross-origin.allowed-origins': origin,
        'hadoop.http.cross-origin.allowed-methods': 'GET,POST,PUT',
        'hadoop.http.cross-origin.allowed-headers': 'accept,authorization,content-type,idempotency-key,if-none-match,origin',
      },
    });
    browser = await oneBrowser();
  });
  after(async () => {
    elsewhere?.close();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const play = (page: Page, base: string, user: string): Promise<Outcome> =>
    page.evaluate<Outcome>(`(${program})(${JSON.stringify(base)}, ${JSON.stringify(user)})`);

  function check({ queue, applicationId, again, kinds, states, listed, unknown, bad, nobody, killed }: Outcome): void {
    assert.equal(queue, 'root.default');
    assert.equal(again, applicationId, 'submitted once');
    assert.deepEqual(listed, [[applicationId, 'of a page', 'FAILED']]);
    assert.deepEqual([states.includes('RUNNING'), states.at(-1)], [true, 'FINISHED']);
    assert.deepEqual(
      [kinds.includes('application.created'), kinds.includes('container.finished'), kinds.at(-1)],
      [true, true, 'application.finished'],
    );
    assert.deepEqual(unknown.slice(0, 2), [true, 404]);
    assert.deepEqual(bad.slice(0, 2), [true, 400]);
    assert.match(bad[2], /command/);
    assert.equal(nobody[0], false);
    // What is over stays as it ended.
    assert.equal(killed, 'done');
  }

  it('works in a page of the origin of the resource manager', async () => {
    const page = await browser.newPage();
    await page.route(/\/app\//, (route) => route.fulfill(fileAt(new URL(route.request().url()).pathname)));
    await page.goto(`${cluster.urls.resourceManager}/app/`);
    check(await play(page, '', 'ann'));
    await page.close();
  });

  it('works in a page of another origin that the settings allow, and asks no more often than once a second where it may not see ETag', async () => {
    const page = await browser.newPage();
    const looks: string[] = [];
    page.on(
      'request',
      (request) => /\/applications\/application_\d+_\d+$/.test(new URL(request.url()).pathname) && looks.push(request.method()),
    );
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/app/`);
    const outcome = await play(page, cluster.urls.resourceManager, 'bob');
    check(outcome);
    assert.ok(looks.length < 60, `${looks.length} looks`);
    await page.close();
  });
});
