// What a batch job is told to look at where a server does not let it read its input, with servers that refuse as real ones do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type CommandLine, commandsAt, type StubRequest, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-batch-remedies-'));
const cluster = new StubServer((request: StubRequest) => {
  if (request.path === '/api/v1/applications' && request.query.has('dryRun'))
    return { json: { accepted: true, sentence: 'It would be taken.', user: 'ada', containers: [], adjusted: [] } };
  if (request.path.endsWith('/new-application'))
    return { json: { 'application-id': 'application_1_0001', 'maximum-resource-capability': { memory: 8192, vCores: 8 } } };
  return undefined;
});
/** How the store or web server answers everything. */
let status = 200;
let body = '';
const files = createServer((_request, response) => response.writeHead(status, { 'content-type': 'application/xml' }).end(body));
let commands: CommandLine;
let port: number;

before(async () => {
  commands = commandsAt(await cluster.listen(), { HEDDLE_DATA: join(folder, 'data') });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  port = (files.address() as AddressInfo).port;
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  files.closeAllConnections();
  files.close();
  rmSync(folder, { recursive: true });
});

const wordCount = (input: string, ...more: string[]) => commands.run('batch', 'wordcount', input, join(folder, 'out'), ...more);
const left = () =>
  cluster.requests.filter(({ path, method, query }) => !query.has('dryRun') && method === 'POST' && path === '/api/v1/applications');

describe('the input of a batch job that a server does not give', () => {
  it('where a web server asks for a name: an address that nodes may read without one', async () => {
    for (status of [401, 403]) {
      const { code, err } = await wordCount(`http://127.0.0.1:${port}/words.txt`);
      assert.equal(code, 2, err);
      assert.match(err, new RegExp(`Server returned HTTP response code: ${status} .*words\\.txt`));
      assert.match(err, /The server asks who reads, .* give an address that nodes may read without\./);
    }
    status = 404;
    const { err } = await wordCount(`http://127.0.0.1:${port}/words.txt`);
    assert.doesNotMatch(err, /asks who reads/, 'no word of names where they are not to blame');
  });

  it('where a store takes no key: the settings of the keys', async () => {
    const keys = ['access.key=a', 'secret.key=b', `endpoint=http://127.0.0.1:${port}`].flatMap((setting) => ['-D', `fs.s3a.${setting}`]);
    for (const reason of ['SignatureDoesNotMatch', 'InvalidAccessKeyId', 'AccessDenied']) {
      [status, body] = [403, `<Error><Code>${reason}</Code><Message>no</Message></Error>`];
      const { code, err } = await wordCount('s3a://logs/words', ...keys);
      assert.notEqual(code, 0);
      assert.match(err, new RegExp(`\\(${reason}\\)`));
      assert.match(err, /fs\.s3a\.access\.key and fs\.s3a\.secret\.key are right/);
    }
    [status, body] = [404, '<Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>'];
    const { err } = await wordCount('s3a://logs/words', ...keys);
    assert.match(err, /NoSuchBucket/);
    assert.doesNotMatch(err, /secret\.key/, 'no word of keys where they are not to blame');
    assert.deepEqual(left(), [], 'nothing was submitted');
  });
});
