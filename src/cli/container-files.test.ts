// `heddle container files`, against a server that answers as a cluster and as a node would.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { FolderListing } from '../wire/node/files.ts';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const id = 'application_1_0001';
const container = 'container_1_0001_01_000002';
const base = '/ws/v1/cluster';
const files = `/api/v1/containers/${container}/files`;
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)> = {};
const server = new StubServer((request) => {
  const answer = answers[request.path];
  return typeof answer === 'function' ? answer(request) : answer;
});
let url = '';
let commands: CommandLine;
const folder = mkdtempSync(join(tmpdir(), 'heddle-container-files-'));

const listing: FolderListing = {
  containerId: container,
  path: '',
  more: true,
  entries: [
    { name: 'sub', kind: 'folder', bytes: 4096, modifiedTime: 1_795_344_558_872, mode: '755' },
    { name: 'odd\ufffd', nameBase64: 'b2Rk/w==', kind: 'file', bytes: 3, modifiedTime: 1_795_344_558_872, mode: '644' },
    { name: 'way', kind: 'link', leadsTo: 'sub', bytes: 3, modifiedTime: 1_795_344_558_872, mode: '777' },
  ],
};
const refusal = (message: string) => ({ status: 409, json: { RemoteException: { exception: 'YarnException', message } } });

before(async () => {
  url = await server.listen();
  commands = commandsAt(url);
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  const attemptId = 'appattempt_1_0001_000001';
  answers = {
    [`${base}/apps/${id}`]: { json: { app: { id, state: 'RUNNING' } } },
    [`${base}/apps/${id}/appattempts`]: { json: { appAttempts: { appAttempt: [{ appAttemptId: attemptId }] } } },
    [`${base}/apps/${id}/appattempts/${attemptId}/containers`]: {
      json: { container: [{ containerId: container, containerState: 'RUNNING', assignedNodeId: 'a:1' }] },
    },
    [`${base}/nodes/a%3A1`]: { json: { node: { id: 'a:1', state: 'RUNNING', nodeHTTPAddress: new URL(url).host } } },
    [files]: ({ query }) =>
      query.get('path') === '' || query.get('path') === 'sub' ? { json: listing } : refusal(`${query.get('path')} is no folder.`),
    [`${files}/content`]: { text: '0123456789' },
  };
});

const heddle = (...args: string[]) => commands.run('container', 'files', ...args);
const asked = () =>
  server.requests
    .filter((request) => request.path.startsWith(files))
    .map(({ path, query }) => [path.slice(files.length), query.get('path'), query.get('offset')]);

describe('files of a container', () => {
  it('are listed, and as JSON for programs', async () => {
    const { code, out, err } = await heddle(container);
    assert.deepEqual(
      [code, err, out],
      [
        0,
        'There is more: the first 3 are listed.\n',
        [
          'MODE  KIND    BYTES  CHANGED               NAME',
          '755   folder  -      2026-11-22 10:49:18Z  sub/',
          '644   file    3      2026-11-22 10:49:18Z  odd\ufffd (base64:b2Rk/w==)',
          '777   link    -      2026-11-22 10:49:18Z  way -> sub',
          '',
        ].join('\n'),
      ],
    );
    assert.deepEqual(JSON.parse((await heddle(container, 'sub', '--json')).out), listing);
  });

  it('are printed, copied, or shown by their end', async () => {
    assert.equal((await heddle(container, 'log')).out, '0123456789');
    await heddle(container, 'log', '--tail', '64k');
    const copy = join(folder, 'copy');
    assert.deepEqual(await heddle(container, 'log', '--tail', '5', '--out', copy), { code: 0, out: '', err: '' });
    assert.equal(readFileSync(copy, 'utf8'), '0123456789');
    assert.deepEqual(asked(), [
      ['', 'log', null],
      ['/content', 'log', '0'],
      ['', 'log', null],
      ['/content', 'log', '-65536'],
      ['', 'log', null],
      ['/content', 'log', '-5'],
    ]);
  });

  it('that are none, or folders where a file is meant, are told with what helps', async () => {
    for (const wrong of [['--tail', '5'], ['--out', 'x'], ['--follow'], ['log', '--follow', '--out', 'x'], ['log', '--tail', '0']])
      assert.equal((await heddle(container, ...wrong)).code, 2, wrong.join(' '));
    assert.deepEqual(asked(), []);
    for (const option of [['--tail', '5'], ['--follow'], ['--out', join(folder, 'none')]])
      assert.deepEqual(await heddle(container, 'sub', ...option), {
        ...{ code: 1, out: '' },
        err: `heddle: sub is a folder\n  "heddle container files ${container} sub" lists it.\n`,
      });
    answers[files] = refusal(`There is no log in container ${container}, or its user does not get there.`);
    assert.match((await heddle(container, 'log')).err, /There is no log in .*\n {2}"heddle container files ID" lists its folder/);
    assert.equal((await heddle('nonsense')).code, 2);
  });
});
