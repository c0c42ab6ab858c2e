import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { claimDataDirectory, readClusterFile, waitForKilled } from './cluster-file.ts';
import { connect } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-file-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const claimCluster = (data: string) => claimDataDirectory(data, { command: 'heddle up', roles: ['timeline'], isCluster: true });
const claimRole = (data: string, role: string) =>
  claimDataDirectory(data, { command: `heddle start ${role}`, roles: [role], isCluster: false });

const statOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');

/** A data folder whose cluster is this process. */
function dataWith(name: string, addresses: Record<string, Record<string, string>>): string {
  const data = join(folder, name);
  claimCluster(data).write(addresses);
  return data;
}

describe('the file of a running cluster', () => {
  it('lies in a folder that only its owner enters, where there was none', () => {
    const data = join(folder, 'above', 'new');
    claimCluster(data);
    assert.equal(statSync(data).mode & 0o777, 0o700);
  });

  it('lies in a folder that others go through, and do not list, where containers run as such and there was none', () => {
    const [made, there] = [join(folder, 'passed'), join(folder, 'there')];
    mkdirSync(there, { mode: 0o700 });
    const claim = { command: 'heddle up', roles: ['node-manager'], isCluster: true, isPassedThrough: true };
    for (const data of [made, there]) claimDataDirectory(data, claim);
    assert.deepEqual([statSync(made).mode & 0o777, statSync(there).mode & 0o777], [0o711, 0o700]);
  });

  it('does not hold the folder for a process that was killed and whose parent has taken no note yet', async () => {
    // A shell that becomes a program that does not wait for its children.
    const parent = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; exec cat >/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const [text] = await once(parent.stdout, 'data');
      const pid = Number(String(text));
      const data = join(folder, 'killed');
      mkdirSync(data);
      writeFileSync(join(data, 'cluster.json'), JSON.stringify({ pid, processStart: statOf(pid)[19], startedAt: '', addresses: {} }));
      assert.equal(readClusterFile(data)?.pid, pid);
      process.kill(pid, 'SIGKILL');
      while (statOf(pid)[0] !== 'Z') await new Promise(setImmediate);
      assert.equal(readClusterFile(data), undefined);
      claimCluster(data).remove();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is waited for while a process that was killed still gives back its ports', async () => {
    const listening = `new (require('node:worker_threads').Worker)(
      "const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))", { eval: true })`;
    const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = child.pid!;
    const [text] = await once(child.stdout, 'data');
    const data = join(folder, 'ending');
    mkdirSync(data);
    writeFileSync(join(data, 'cluster.json'), JSON.stringify({ pid, processStart: statOf(pid)[19], startedAt: '', addresses: {} }));
    process.kill(pid, 'SIGKILL');
    await waitForKilled(data, []);
    const server = createServer().listen(Number(String(text)), '127.0.0.1');
    await once(server, 'listening');
    server.close();
    claimCluster(data).remove();
  });

  it('may be those of roles that were started one by one', () => {
    const data = join(folder, 'roles');
    const of = (role: string, port: number) => claimRole(data, role).write({ [role]: { web: `http://127.0.0.1:${port}` } });
    of('history', 4722);
    of('resource-manager', 4721);
    const { resourceManagerUrl, historyUrl } = connect({ data });
    assert.deepEqual([resourceManagerUrl, historyUrl], ['http://127.0.0.1:4721', 'http://127.0.0.1:4722']);
  });

  it('leads commands with --conf, too, unless the settings there say where it answers and no data folder is named', () => {
    const data = dataWith('running', { 'resource-manager': { web: 'http://127.0.0.1:4711' } });
    const conf = join(folder, 'conf');
    mkdirSync(conf);
    writeFileSync(join(conf, 'heddle.yaml'), 'yarn.acl.enable: true\n');
    assert.equal(connect({ data, conf }).resourceManagerUrl, 'http://127.0.0.1:4711');
    writeFileSync(join(conf, 'heddle.yaml'), 'yarn.resourcemanager.webapp.address: 127.0.0.1:4712\n');
    assert.equal(connect({ data, conf }).resourceManagerUrl, 'http://127.0.0.1:4711');
    const before = process.env['HEDDLE_DATA'];
    process.env['HEDDLE_DATA'] = data;
    try {
      assert.equal(connect({ conf }).resourceManagerUrl, 'http://127.0.0.1:4712');
    } finally {
      if (before === undefined) delete process.env['HEDDLE_DATA'];
      else process.env['HEDDLE_DATA'] = before;
    }
  });
});

describe('a cluster that is named by its address', () => {
  const places = (...[flags]: Parameters<typeof connect>) => {
    const { historyUrl, timelineUrl, readerUrl } = connect({ data: join(folder, 'none'), ...flags });
    return [historyUrl, timelineUrl, readerUrl];
  };

  it('has its other servers on the machine of its resource manager, where nothing says otherwise', () => {
    const here = ['http://127.0.0.1:19888', 'http://127.0.0.1:8188', 'http://127.0.0.1:8198'];
    const there = here.map((url) => url.replace('127.0.0.1', 'rm.example.com'));
    assert.deepEqual(places({}), here);
    assert.deepEqual(places({ cluster: 'http://rm.example.com:8088' }), there);
    assert.deepEqual(places({ cluster: 'http://[2001:db8::1]:8088/' })[0], 'http://[2001:db8::1]:19888');
    assert.deepEqual(places({ cluster: 'http://localhost:9999' })[0], 'http://localhost:19888');
    assert.deepEqual(places({ cluster: 'https://rm.example.com/gate' }), here, 'not in clear text instead');
  });

  it('has those that settings or its name give where they say', () => {
    const set = { 'yarn.timeline-service.hostname': 't.example.com', 'mapreduce.jobhistory.webapp.address': '127.0.0.1:7' };
    const [history, timeline] = places({ cluster: 'http://rm.example.com:8088', set });
    assert.deepEqual([history, timeline], ['http://127.0.0.1:7', 'http://t.example.com:8188']);
  });
});

// Who may use it: docs/protocol.md, P14.
describe('a data folder', () => {
  const refused = (claim: () => unknown, who: RegExp) => assert.throws(claim, { name: 'CommandFailure', message: who });

  it('has each role once, whatever command starts it, and says who has it', () => {
    const data = join(folder, 'once');
    const timeline = claimRole(data, 'timeline');
    const manager = claimRole(data, 'resource-manager');
    const who = `process ${process.pid}, "heddle start timeline"`;
    refused(() => claimRole(data, 'timeline'), new RegExp(`^a timeline already runs on ${data} \\(${who}\\)$`));
    refused(() => claimCluster(data), new RegExp(`^a timeline already runs on ${data} \\(${who}\\)$`));
    timeline.remove();
    manager.remove();
    const cluster = claimCluster(data);
    refused(() => claimCluster(data), /^a cluster already runs on .* "heddle up"\)$/);
    refused(() => claimRole(data, 'timeline'), /^a timeline already runs on .* "heddle up"\)$/);
    claimRole(data, 'proxy').remove();
    cluster.remove();
    claimRole(data, 'timeline').remove();
  });

  it('is held by who has it, although the file of the lock was removed; a copy of it is not', {
    skip: process.platform !== 'linux',
  }, async () => {
    const [data, copy] = [join(folder, 'unlocked'), join(folder, 'copy')];
    for (const each of [data, copy]) mkdirSync(each);
    const used = openSync(join(data, 'state'), 'a');
    const holder = spawn('sleep', ['600'], { stdio: ['ignore', used, 'ignore'] });
    closeSync(used);
    const ended = once(holder, 'exit');
    const about = { pid: holder.pid!, processStart: statOf(holder.pid!)[19], startedAt: '', addresses: { timeline: {} } };
    for (const each of [data, copy])
      for (const name of ['timeline', 'cluster']) writeFileSync(join(each, `${name}.json`), JSON.stringify(about));
    const who = new RegExp(`^a timeline already runs on ${data} \\(process ${holder.pid}\\)$`);
    refused(() => claimRole(data, 'timeline'), who);
    rmSync(join(data, 'timeline.json'));
    refused(() => claimRole(data, 'timeline'), who);
    claimRole(data, 'proxy').remove();
    claimRole(copy, 'timeline').remove();
    holder.kill('SIGKILL');
    claimRole(data, 'timeline').remove();
    await ended;
  });

  it('is held although its file names another process, and is free although its file names one', () => {
    const data = join(folder, 'file');
    const claim = claimCluster(data);
    rmSync(join(data, 'cluster.json'));
    refused(() => claimCluster(data), /^a cluster already runs on .* \(a process that just starts\)$/);
    claim.remove();
    writeFileSync(join(data, 'cluster.json'), JSON.stringify({ pid: process.pid, startedAt: '', addresses: {} }));
    claimCluster(data).remove();
  });
});
