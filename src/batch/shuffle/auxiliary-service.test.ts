// The shuffle as a node runs it: its name and port, where it listens, what stays over a restart, HTTPS.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { makeAuthority, tlsSettingsOf } from '../../../test/support/certificates.ts';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { writtenToken } from '../../wire/files/credentials.ts';
import { applicationId, jobId, map } from '../test-support/a-job.ts';
import { writeMapOutput } from '../test-support/map-outputs.ts';
import { createShuffleAuxiliaryService } from './auxiliary-service.ts';
import { hadoopHash, signedMessage } from './hadoop-request.ts';
import { hashHeader, hashOf } from './protocol.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-auxiliary-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

const password = Buffer.alloc(20, 7);
const data = writtenToken({ identifier: Buffer.from('id'), password, kind: 'mapreduce.job', service: jobId });

/** A service with the settings, and how it is started, also again over the same folder. */
function aService(t: TestContext, set: Record<string, string> = {}) {
  const root = join(scratch, String(++serial));
  const disk = join(root, 'disk');
  writeMapOutput(disk, map(0), [[['a', '1']]]);
  const configuration = loadConfiguration({ dataDir: root, set });
  const start = async () => {
    const service = createShuffleAuxiliaryService(configuration, { clock: systemClock, logger: silentLogger });
    await service.start({ folder: join(root, 'state'), applicationFolders: () => [disk] });
    t.after(() => service.stop());
    return service;
  };
  return { configuration, start };
}

const portOf = (service: { metadata(): Buffer }): number => service.metadata().readInt32BE();
const path = `/mapOutput?job=${jobId}&reduce=0&map=${map(0)}`;

/** The status of a fetch as Hadoop's reduces do it. */
function statusOf(port: number, tls?: { ca: string; cert?: string; key?: string }): Promise<number> {
  const headers = { name: 'mapreduce', version: '1.0.0', UrlHash: hadoopHash(password, signedMessage(port, path)) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers, agent: false as const };
    const asked = tls ? tlsRequest({ ...options, ...tls }) : request(options);
    asked.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the port', () => {
  test('is told in four bytes, is the one of the settings, and serves jobs of Hadoop while Heddle’s own ask below the web interface', async (t) => {
    const { start } = aService(t, { 'mapreduce.shuffle.port': '0' });
    const service = await start();
    assert.deepEqual([service.name, service.classNames], ['mapreduce_shuffle', ['org.apache.hadoop.mapred.ShuffleHandler']]);
    assert.equal(await statusOf(portOf(service)), 401);
    service.applicationStarted({ applicationId, user: 'ann', data: undefined });
    assert.equal(await statusOf(portOf(service)), 401, 'an application without service data has no shuffle');
    service.applicationStarted({ applicationId, user: 'ann', data });
    assert.equal(await statusOf(portOf(service)), 200);
    service.applicationEnded(applicationId);
    assert.equal(await statusOf(portOf(service)), 401);
  });

  test('is free again after the service has stopped, connections included', async (t) => {
    const { start } = aService(t, { 'mapreduce.shuffle.port': '0' });
    const service = await start();
    const port = portOf(service);
    await service.stop();
    await assert.rejects(statusOf(port), /ECONNREFUSED/);
  });

  test('that others have fails the start where the settings name it', async (t) => {
    const taken = createSocketServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    t.after(() => taken.close());
    const { start } = aService(t, { 'mapreduce.shuffle.port': String((taken.address() as AddressInfo).port) });
    await assert.rejects(start(), { code: 'EADDRINUSE' });
  });

  test('is the same after a restart while jobs are known that were told of it, whichever it was', async (t) => {
    const { start } = aService(t, { 'mapreduce.shuffle.port': '0' });
    const first = await start();
    const port = portOf(first);
    first.applicationStarted({ applicationId, user: 'ann', data });
    await first.stop();
    const second = await start();
    assert.equal(portOf(second), port);
    assert.equal(await statusOf(port), 200, 'and the job is still known');
  });
});

test('Heddle’s own reduces ask by their own token, and neither door takes the other’s', async (t) => {
  const { configuration, start } = aService(t, { 'mapreduce.shuffle.port': '0' });
  const early = createShuffleAuxiliaryService(configuration, { clock: systemClock, logger: silentLogger });
  const service = await start();
  let asked: { handle: typeof service.handle } = early;
  const server = createServer((incoming, response) => asked.handle(incoming, response, incoming.url!));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const own = async (token: Buffer) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { [hashHeader]: hashOf(token, path), connection: 'close' } })).status;
  assert.equal(await own(data), 503, 'before it was started');
  asked = service;
  const token = Buffer.from('the secret of a job of Heddle');
  service.applicationStarted({ applicationId, user: 'ann', data: token });
  assert.deepEqual([await own(token), await statusOf(portOf(service))], [200, 401]);
  service.applicationStarted({ applicationId, user: 'ann', data });
  assert.deepEqual([await own(token), await own(password), await statusOf(portOf(service))], [401, 401, 200]);
});

describe('HTTPS', () => {
  const authority = makeAuthority(join(scratch, 'authority'));
  const identity = authority.sign('node');
  const encrypted = { 'mapreduce.shuffle.port': '0', 'mapreduce.shuffle.ssl.enabled': 'true' };
  const settings = { ...tlsSettingsOf(authority, identity), ...encrypted };
  const ca = authority.pem();

  test('is spoken where the settings say so, whatever the web interface speaks', async (t) => {
    for (const policy of ['HTTPS_ONLY', 'HTTP_ONLY']) {
      const service = await aService(t, { ...settings, 'yarn.http.policy': policy }).start();
      service.applicationStarted({ applicationId, user: 'ann', data });
      assert.equal(await statusOf(portOf(service), { ca }), 200);
      await assert.rejects(statusOf(portOf(service)));
      await service.stop();
    }
  });

  test('without a certificate is refused at the start', async (t) => {
    await assert.rejects(aService(t, encrypted).start(), {
      name: 'ConfigurationError',
      key: 'mapreduce.shuffle.ssl.enabled',
      message: /HTTPS is asked for, and there is no certificate\. Set heddle\.tls\.certificate-file/,
    });
  });

  test('asks clients for certificates where the settings say so', async (t) => {
    const required = { ...settings, 'hadoop.ssl.require.client.cert': 'true' };
    const service = await aService(t, required).start();
    service.applicationStarted({ applicationId, user: 'ann', data });
    const { certificateFile, keyFile } = authority.sign('reduce');
    const own = { cert: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    assert.equal(await statusOf(portOf(service), { ca, ...own }), 200);
    await assert.rejects(statusOf(portOf(service), { ca }));
    const withoutAuthority = Object.fromEntries(Object.entries(required).filter(([key]) => key !== 'heddle.tls.ca-file'));
    await assert.rejects(aService(t, withoutAuthority).start(), {
      key: 'hadoop.ssl.require.client.cert',
      message: /no authority is named/,
    });
  });
});
