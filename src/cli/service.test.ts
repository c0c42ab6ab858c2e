// A cluster in the background: its log stays small, what runs on a folder is told and ended.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readStat } from '../lib/process-stat.ts';
import { openLog, rotate } from './detach.ts';
import { CommandLine } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-service-'));
let commands: CommandLine;
before(() => {
  commands = new CommandLine({ HOME: '/nowhere', HEDDLE_DATA: folder });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe('the log of a cluster in the background', () => {
  it('is begun anew where it is long, under a writer that keeps it open, and as many older ones are kept as are wanted', () => {
    const path = join(folder, 'a.log');
    const log = openSync(path, 'a');
    const kept = { path, maximumBytes: 10, files: 2 };
    assert.equal(rotate(kept), false);
    for (const text of ['first first\n', 'second second\n', 'third third\n']) {
      writeSync(log, text);
      assert.equal(rotate(kept), true);
      assert.equal(statSync(path).size, 0);
    }
    writeSync(log, 'now');
    closeSync(log);
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.startsWith('a.log'))
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
      [
        ['a.log', 'now'],
        ['a.log.1', 'third third\n'],
        ['a.log.2', 'second second\n'],
      ],
    );
    assert.equal(rotate({ path, maximumBytes: 1, files: 0 }), true);
    assert.equal(existsSync(`${path}.new`), false);
  });
});

describe('the log of a cluster in the background', () => {
  it('lies in a data folder that only its owner enters, or that containers of others go through', () => {
    const modes = (name: string, isPassedThrough: boolean) => {
      const data = join(folder, name);
      closeSync(openLog(join(data, 'logs', 'heddle.log'), data, isPassedThrough).log);
      return [data, join(data, 'logs'), join(data, 'logs', 'heddle.log')].map((path) => statSync(path).mode & 0o777);
    };
    assert.deepEqual(modes('own', false), [0o700, 0o700, 0o600]);
    assert.deepEqual(modes('passed', true), [0o711, 0o700, 0o600]);
  });
});

describe('what runs on a data folder', () => {
  it('is nothing, and there is nothing to end', async () => {
    assert.deepEqual(await commands.run('status'), { code: 3, out: `Nothing runs on ${folder}.\n`, err: '' });
    assert.deepEqual(await commands.run('down'), { code: 0, out: `Nothing runs on ${folder}.\n`, err: '' });
  });

  it('is told with what keeps it from being ready, and ended; one that does not end is killed when that is wanted', async () => {
    let answer = { status: 503, json: { ready: false, reason: 'the disk is full' } as object };
    const server = createServer((_, response) => response.writeHead(answer.status).end(JSON.stringify(answer.json)));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"]);
    const gone = new Promise((done) => child.once('exit', done));
    await new Promise((done) => child.stdout.once('data', done));
    const start = { pid: child.pid, processStart: String(readStat(child.pid ?? 0)?.startTicks), startedAt: new Date().toISOString() };
    writeFileSync(join(folder, 'cluster.json'), JSON.stringify({ ...start, command: 'heddle up', addresses: { timeline: { web } } }));
    const waiting = await commands.run('status');
    assert.equal(waiting.code, 1);
    assert.match(waiting.out, /timeline +not ready[\s\S]*timeline: the disk is full/);
    answer = { status: 200, json: { ready: true } };
    const { roles } = JSON.parse((await commands.run('status', '--wait', '5', '--json')).out);
    assert.deepEqual([roles.length, roles[0].role, roles[0].ready, roles[0].pid], [1, 'timeline', true, child.pid]);
    const patient = await commands.run('down', '--timeout', '1');
    assert.deepEqual([patient.code, /has not ended after 1 s\n.*--force/.test(patient.err)], [1, true]);
    const ended = await commands.run('down', '--timeout', '1', '--force');
    assert.deepEqual([ended.code, /was killed/.test(ended.out)], [0, true]);
    await gone;
    server.close();
  });
});
