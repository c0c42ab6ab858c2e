// `heddle run` against a real cluster in a process of its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ApiClient } from '../../src/client/api-client.ts';
import { freePorts } from '../support/ports.ts';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** Runs to the end, or until the output is enough and the process gets SIGINT. */
function heddleOn(
  { urls }: ClusterProcesses,
  args: string[],
  interruptWhen?: (out: string) => boolean,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HEDDLE_CLUSTER: urls.resourceManager },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    if (interruptWhen?.(out)) {
      interruptWhen = undefined;
      child.kill('SIGINT');
    }
  });
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** The tracking address of an application that is over answers with a page about it. */
async function leadsSomewhere(resourceManagerUrl: string, id: string): Promise<void> {
  const { app } = (await (await fetch(`${resourceManagerUrl}/ws/v1/cluster/apps/${id}`)).json()) as { app: { trackingUrl: string } };
  const answer = await fetch(app.trackingUrl);
  assert.equal(answer.status, 200);
  assert.ok((await answer.text()).includes(id), answer.url);
}

describe('heddle run where the web proxy has an address of its own', () => {
  it('shows what the command writes, without waiting for anything, and leads to a page that answers', async () => {
    const [port] = await freePorts(1);
    await using cluster = await startProcesses({ settings: { 'yarn.web-proxy.address': `127.0.0.1:${port}` } });
    const { code, out, err } = await heddleOn(cluster, ['run', '--', 'echo', 'hi']);
    assert.deepEqual([code, out], [0, 'hi\n'], err);
    const id = /application_\d+_\d+/.exec(err)?.[0] ?? '';
    // What the master says goes to its log. One that nobody tells that its output was read waits for ten seconds, and says so.
    const logs = await heddleOn(cluster, ['app', 'logs', id, '--role', 'master']);
    assert.match(logs.out, /the command ended with this code/, logs.err);
    assert.doesNotMatch(logs.out, /waits no longer/);
    await leadsSomewhere(cluster.urls.resourceManager, id);
  });
});

describe('heddle run', () => {
  let cluster: ClusterProcesses;
  before(async () => {
    cluster = await startProcesses();
  });
  after(() => cluster[Symbol.asyncDispose]());
  const heddle = (args: string[], interruptWhen?: (out: string) => boolean) => heddleOn(cluster, args, interruptWhen);

  it('leads to a page that answers when it is over, and with it its master', async () => {
    const { err } = await heddle(['run', '--', 'true']);
    const id = /application_\d+_\d+/.exec(err)?.[0] ?? '';
    await leadsSomewhere(cluster.urls.resourceManager, id);
  });

  it('is one call over HTTP, too: a command, instances, files and secrets in one body, once under its key', async () => {
    const send = async () => {
      const answer = await fetch(`${cluster.urls.resourceManager}/api/v1/applications?user.name=root`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one-call' },
        body: JSON.stringify({
          run: {
            command: [
              'sh',
              '-c',
              '(cat greeting.txt; echo "$NAME of $HEDDLE_INSTANCES"; wc -c < "$PASSWORD_FILE") > "$HOME_HERE/$HEDDLE_INSTANCE"',
            ],
            instances: 2,
            memoryMiB: 128,
            environment: { NAME: 'number', HOME_HERE: cluster.home },
            files: { 'greeting.txt': { text: 'hello\n' } },
            secrets: { PASSWORD: 'sesame' },
          },
        }),
      });
      return { status: answer.status, id: ((await answer.json()) as { id: string }).id };
    };
    const first = await send();
    assert.equal(first.status, 202);
    const client = new ApiClient({ url: cluster.urls.resourceManager, user: 'root' });
    const { state, finalStatus, diagnostics } = await client.ended(first.id);
    assert.deepEqual([state, finalStatus], ['FINISHED', 'SUCCEEDED'], diagnostics);
    const kinds: string[] = [];
    for await (const { kind } of client.events({ applications: [first.id], from: 'oldest' })) {
      kinds.push(kind);
      if (kind === 'application.finished') break;
    }
    assert.equal(kinds.filter((kind) => kind === 'container.created').length, 3, kinds.join());
    const names: string[] = [];
    for await (const { name } of client.applications({ applicationTypes: ['HEDDLE-RUN'], pageSize: 1 })) names.push(name);
    assert.ok(names.length >= 1);
    assert.deepEqual(await send(), first);
    for (const instance of ['0', '1']) assert.equal(readFileSync(join(cluster.home, instance), 'utf8'), 'hello\nnumber of 2\n6\n');
  });

  it('gives the command its words, variables and files as they are, and shows what it writes', async () => {
    const file = join(cluster.home, 'some data');
    writeFileSync(file, 'from a file\n');
    const script = 'printf "%s|" "$@" "$A" "$HEDDLE_INSTANCE/$HEDDLE_INSTANCES"; cat input; echo problem >&2';
    const words = ['a  b', '$HOME', '`id`', '"x"', "it's", '{{B}}', '<LOG_DIR>', '\\'];
    const { code, out, err } = await heddle([
      'run',
      '--file',
      `${file}#input`,
      '--env',
      'A=$B "c" `d` {{e}}',
      '--',
      'bash',
      '-c',
      script,
      'script',
      ...words,
    ]);
    assert.equal(code, 0, err);
    assert.equal(out, `${words.join('|')}|$B "c" \`d\` {{e}}|0/1|from a file\n`);
    assert.match(err, /problem/);
  });

  it('gives the command secrets in files of its own, which stand nowhere else', async () => {
    const secret = 'correct-horse-battery-staple';
    const file = join(cluster.home, 'secret');
    writeFileSync(file, secret, { mode: 0o600 });
    const script = 'stat -c %a "$PASS_FILE"; wc -c < "$PASS_FILE"; rev "$PASS_FILE"; env | grep -c "$(cat "$PASS_FILE")"; true';
    const { code, out, err } = await heddle(['run', '--secret', `PASS=${file}`, '--', 'bash', '-c', script]);
    assert.equal(code, 0, err);
    assert.equal(out, `600\n${secret.length}\n${[...secret].reverse().join('')}0\n`);
    const id = /application_\d+_\d+/.exec(err)?.[0] ?? '';
    const holders = spawnSync('grep', ['-rlF', secret, cluster.dataDir], { encoding: 'utf8' }).stdout;
    // Stores and the credentials of the master, until it has ended; nobody else reads them.
    for (const holder of holders.split('\n').filter((line) => line !== '')) {
      assert.match(holder, /\.sqlite(?:-wal|-shm)?$|\/container_tokens$/);
      assert.equal((statSync(holder, { throwIfNoEntry: false })?.mode ?? 0) & 0o077, 0, holder);
    }
    for (const path of [`/ws/v1/cluster/apps/${id}`, `/api/v1/applications/${id}`, '/conf']) {
      const text = await (await fetch(`${cluster.urls.resourceManager}${path}`)).text();
      assert.ok(!text.includes(secret), path);
    }
    assert.ok(!cluster.output('up').includes(secret) && !err.includes(secret));
  });

  it('brings files of jobs to their tasks, also those of the master itself', async () => {
    const mapper = join(cluster.home, 'mapper.sh');
    writeFileSync(mapper, 'sed "s/^/$(cat words.txt):/"');
    writeFileSync(join(cluster.home, 'words.txt'), 'brought');
    writeFileSync(join(cluster.home, 'in.txt'), 'line\n');
    for (const uber of ['false', 'true']) {
      const output = join(cluster.home, `out-${uber}`);
      const files = ['--file', mapper, join(cluster.home, 'words.txt')];
      const job = ['batch', 'streaming', join(cluster.home, 'in.txt'), output, 'bash mapper.sh', 'NONE', ...files];
      const { code, output: printed } = await cluster.heddle(...job, '-D', `mapreduce.job.ubertask.enable=${uber}`);
      assert.equal(code, 0, printed);
      assert.match(readFileSync(join(output, 'part-00000'), 'utf8'), /^brought:line/);
    }
  });

  it('shows much output whole, also characters that come in pieces and a line without an end', async () => {
    const command = 'for i in {1..400}; do printf "ü%.0s" {1..5000}; echo; done; printf "no end"';
    const { code, out } = await heddle(['run', '--', 'bash', '-c', command]);
    assert.equal(code, 0);
    assert.equal(out.length, 400 * 5001 + 'no end\n'.length);
    assert.match(out, /^(ü{5000}\n){400}no end\n$/);
  });

  it('runs several instances and marks their lines', async () => {
    const { code, out } = await heddle([
      'run',
      '-n',
      '3',
      '--memory',
      '256',
      '--',
      'bash',
      '-c',
      'echo one; echo instance $HEDDLE_INSTANCE',
    ]);
    assert.equal(code, 0);
    assert.deepEqual(out.split('\n').filter(Boolean).sort(), [
      '[0] instance 0',
      '[0] one',
      '[1] instance 1',
      '[1] one',
      '[2] instance 2',
      '[2] one',
    ]);
  });

  it('tries failures again and ends with the code of the last', async () => {
    const again = await heddle(['run', '--', 'bash', '-c', 'echo try $HEDDLE_TRY; exit $((HEDDLE_TRY == 1 ? 4 : 0))']);
    assert.deepEqual([again.code, again.out], [0, 'try 1\ntry 2\n']);
    const failed = await heddle(['run', '--retries', '1', '--json', '--', 'bash', '-c', 'exit 5']);
    assert.equal(failed.code, 5);
    const last = JSON.parse(failed.out.trim().split('\n').at(-1) ?? '');
    assert.deepEqual([last.finalStatus, last.exitCode], ['FAILED', 5]);
  });

  it('ends the application on Ctrl-C, and keeps its logs', async () => {
    const { code, err } = await heddle(['run', '--', 'bash', '-c', 'echo begun; exec sleep 600'], (out) => out.includes('begun'));
    assert.equal(code, 130);
    const id = /application_\d+_\d+/.exec(err)?.[0] ?? '';
    assert.match((await heddle(['app', 'show', id])).out, /state +KILLED/);
    const logs = await heddle(['app', 'logs', id, '--file', 'stdout', '--conf', cluster.confDir]);
    assert.match(logs.out, /begun/, logs.err);
  });

  it('says what becomes of the application where nobody reads its output any more', async () => {
    const child = spawn(process.execPath, [main, 'run', '--', 'sh', '-c', 'while :; do echo line; sleep 0.1; done'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager },
    });
    let err = '';
    child.stderr.on('data', (chunk) => (err += chunk));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    const id = /application_\d+_\d+/.exec(err)?.[0] ?? '';
    assert.equal(code, 0, err);
    assert.match(err, new RegExp(`nobody reads the output any more; ${id} goes on: .*heddle app kill ${id}`));
    assert.equal((await heddleOn(cluster, ['app', 'kill', id])).code, 0);
  });

  it('says what is wrong with a queue or a size that the cluster does not have', async () => {
    const queue = await heddle(['run', '--queue', 'nowhere', '--', 'true']);
    assert.equal(queue.code, 1);
    assert.match(queue.err, /unknown queue: nowhere\n {2}Queues that take work: root\.default\./);
    const size = await heddle(['run', '--memory', '999999', '--', 'true']);
    assert.equal(size.code, 1);
    assert.match(size.err, /999999 MiB, 1 vcore is more than the largest allowed/);
  });
});

describe('heddle run whose resource manager is gone', () => {
  it('ends its application on SIGTERM as soon as there is one again', async () => {
    await using cluster = await startProcesses({ mode: 'roles' });
    const child = spawn(process.execPath, [main, 'run', '--', 'bash', '-c', 'echo begun; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager },
    });
    try {
      let said = '';
      const heard = new Map<string, () => void>();
      const saying = (words: string) => (said.includes(words) ? Promise.resolve() : new Promise<void>((done) => heard.set(words, done)));
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece) => {
          said += piece;
          for (const [words, done] of heard) if (said.includes(words)) done();
        });
      const ended = new Promise<void>((done) => child.on('close', () => done()));
      await saying('begun');
      await cluster.stop('resource-manager', 'SIGKILL');
      await saying('still trying');
      child.kill('SIGTERM');
      await saying('ending application_');
      await cluster.start('resource-manager');
      await ended;
      const [id = ''] = /application_\d+_\d+/.exec(said) ?? [];
      const answer = await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/${id}?user.name=root`);
      assert.equal(((await answer.json()) as { app: { state: string } }).app.state, 'KILLED', said);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
