// What `heddle run` is told: by a file, and what stands before the command in its containers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { commandMaster, decodeJob } from '../wire/cluster/command-job.ts';
import { readRunFile } from './run-file.ts';
import { submissionOf } from './run-job.ts';
import { wrapped } from './run-stdin.ts';
import { CommandLine, commandsAt, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-run-file-'));
after(() => rmSync(folder, { recursive: true }));

const read = (text: string) => {
  const path = join(folder, 'job.yaml');
  writeFileSync(path, text);
  return readRunFile(path);
};

describe('a job file', () => {
  it('says what the options say, with paths below its folder', () => {
    const { command, flags } = read(`
name: n
command: [echo, "a b"]
instances: 3
memory: 2g
vcores: 2
resources: { yarn.io/gpu: 1 }
timeout: 90
masterMemory: 256
environment: { A: x, B: 1 }
passEnvironment: [HOME]
files: [data.txt, /abs#in, "https://h/f"]
secrets: { KEY: key.txt }
constraints: [anti-affinity]
tags: [t]
`);
    assert.deepEqual(command, ['echo', 'a b']);
    assert.deepEqual(flags, {
      name: 'n',
      instances: 3,
      memory: 2048,
      vcores: 2,
      resource: ['yarn.io/gpu=1'],
      timeout: 90_000,
      masterMemory: 256,
      env: ['A=x', 'B=1', 'HOME'],
      file: [join(folder, 'data.txt'), '/abs#in', 'https://h/f'],
      secret: [`KEY=${join(folder, 'key.txt')}`],
      constraint: ['anti-affinity'],
      tag: ['t'],
    });
    assert.deepEqual(read('script: echo hi').command, ['bash', '-c', 'echo hi']);
    assert.deepEqual(read('{"command": ["a"], "retries": 0}').flags, { retries: 0 });
    assert.deepEqual(read('{"command": ["a"], "retries": "unlimited"}').flags, { retries: -1 });
  });

  it('is refused with what is wrong in it', () => {
    for (const [text, says] of [
      ['comand: [x]', /job\.yaml: comand is unknown/],
      ...['-1', '1001', '1.5', 'for ever', '""', '[1]', '"01e3"'].map(
        (wrong) => [`command: [x]\nretries: ${wrong}`, /job\.yaml: retries/] as const,
      ),
      ['[1]', /is no map/],
      ['{}', /either command or script/],
      ['command: [a]\nscript: b', /either command or script/],
      ['command: []', /command is empty/],
      ['command: [1]', /command\.0 is not a text/],
      ['command: [a]\ninstances: 0', /instances is less than 1/],
      ['command: [a]\nmemory: lots', /memory: 'lots' is no memory/],
      ['command: [a]\ntimeout: 0', /timeout: '0' is no time/],
      ['command: [a', /line 1|line 2/],
      [`a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]`, /alias/i],
    ] as const)
      assert.throws(() => read(text), says, text);
  });
});

describe('what stands before a command', () => {
  it('opens what is piped in, then goes to the folder, and leaves the words as they are', () => {
    assert.deepEqual(wrapped(['a'], { stdin: undefined, workdir: undefined }), ['a']);
    const inside = join(folder, 'a folder');
    mkdirSync(inside);
    writeFileSync(join(folder, '.heddle-stdin'), 'piped');
    const [program = '', ...args] = wrapped(['sh', '-c', 'pwd; cat; printf " %s" "$@"', 'x', '$HOME', "it's"], {
      stdin: true,
      workdir: inside,
    });
    const { stdout, status } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([status, stdout], [0, `${inside}\npiped $HOME it's`]);
    const [shell = '', ...rest] = wrapped(['true'], { stdin: undefined, workdir: join(folder, 'none') });
    assert.equal(spawnSync(shell, rest).status, 126);
  });
});

describe('the submission of a command', () => {
  const job = { command: ['x'], instances: 1, memoryMiB: 128, vcores: 1, environment: {}, files: {}, retries: 0, attached: false };
  const flags = { instances: 1, memory: 128, vcores: 1, retries: 0 };

  it('has a small master, unless there is much for it to do or it is told', () => {
    const memoryOf = (instances: number, masterMemory?: number) =>
      submissionOf('a', { ...job, instances }, { ...flags, ...(masterMemory ? { masterMemory } : {}) }, 'n', new Map()).resource?.memory;
    assert.deepEqual([memoryOf(1), memoryOf(1000), memoryOf(10_000), memoryOf(1, 64)], [128, 256, 512, 64]);
  });

  it('carries queue, priority, label, reservation and how long it may take', () => {
    const wish = { ...flags, queue: 'q', priority: 3, label: 'gpu', reservation: 'r', timeout: 1500 };
    const sent = submissionOf('a', job, wish, 'n', new Map());
    assert.deepEqual(
      [sent.queue, sent.priority, sent['app-node-label-expression'], sent['reservation-id'], sent['application-timeouts']],
      ['q', 3, 'gpu', 'r', { LIFETIME: 2 }],
    );
    const environment = sent['am-container-spec']?.environment as unknown as { entry: { value: string }[] } | undefined;
    assert.deepEqual(decodeJob(environment?.entry[0]?.value ?? ''), job);
  });
});

describe('heddle run --diff', () => {
  const id = 'application_1_0003';
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('compares a file with what runs under its name', async () => {
    const sent: Record<string, Record<string, unknown>>[] = [];
    await using server = new StubServer(({ method, path, query, body }) => {
      if (path.endsWith('/apps/new-application')) return { json: { 'application-id': id, 'maximum-resource-capability': {} } };
      if (path.startsWith('/api/v1/staging/')) return { json: { uri: `staging:/ada/${id}/in.txt`, bytes: 5, sha256: '' } };
      if (query.has('dryRun')) return { json: { accepted: true, sentence: '', user: 'ada', containers: [], adjusted: [] } };
      if (path === '/api/v1/applications' && method === 'POST') {
        sent.push(JSON.parse(body));
        return { status: 202, json: { id } };
      }
      if (path === '/api/v1/applications') {
        assert.deepEqual([query.get('user'), query.get('applicationTypes')], ['ada', commandMaster.type]);
        return {
          json: {
            applications: [
              { id: 'application_1_0004', name: 'other' },
              { id, name: 'daily' },
            ],
          },
        };
      }
      if (path !== `/api/v1/applications/${id}/run`) return undefined;
      const context = sent[0]!['am-container-spec']!['environment'] as { entry: { value: string }[] };
      const known = {
        id,
        name: 'daily',
        user: 'ada',
        state: 'RUNNING',
        queue: 'root.q',
        priority: 0,
        masterMemoryMiB: 128,
        lifetimeSeconds: 7200,
      };
      return { json: { ...known, run: decodeJob(context.entry[0]!.value) } };
    });
    await using commands = commandsAt(await server.listen(), { HEDDLE_DATA: '/nowhere' });
    const path = write('daily.yaml', 'name: daily\ncommand: [make]\nqueue: q\ntimeout: 2h\nenvironment: { A: "1", B: "2" }\n');
    assert.equal((await commands.run('run', path, '--detach')).code, 0);
    const begun = await commands.run('run', path, '--detach', '--env', 'HOME=/mine');
    assert.deepEqual([begun.code, begun.err.match(/note: (.*) is set by the node of each container/)?.[1]], [0, 'HOME'], begun.err);
    const same = await commands.run('run', path, '--diff');
    assert.deepEqual([same.code, same.out.includes(`asks for what ${id} (daily, RUNNING) does`)], [0, true], same.err);
    write('daily.yaml', 'name: daily\ncommand: [make]\ninstances: 3\nqueue: r\nlabel: gpu\nenvironment: { A: "x", C: "3" }\n');
    const changed = await commands.run('run', path, '--diff', '--json');
    assert.equal(changed.code, 1);
    assert.deepEqual(
      JSON.parse(changed.out).differences.map(({ key, from, to }: Record<string, string>) => [key, from, to]),
      [
        ['instances', '1', '3'],
        ['label', undefined, 'gpu'],
        ['queue', 'root.q', 'r'],
        ['timeout', '2 h 0 min', undefined],
        ['variable A', '1', 'x'],
        ['variable B', '2', undefined],
        ['variable C', undefined, '3'],
      ],
    );
    const none = await commands.run('run', write('none.yaml', 'name: none\ncommand: [make]\n'), '--diff');
    assert.deepEqual([none.code, /no run of ada called none/.test(none.err)], [2, true]);
  });

  it('is a run of nothing else, and names files that are not there', async () => {
    await using commands = new CommandLine({ HEDDLE_CLUSTER: 'http://127.0.0.1:1', HOME: '/nowhere', HEDDLE_DATA: '/nowhere' });
    const file = write('alone.yaml', 'command: [make]\n');
    for (const [args, said] of [
      [[join(folder, 'absent.yaml')], /absent\.yaml: there is no such file\n/],
      [[file, file], /alone\.yaml says all of what to run: nothing stands behind it\n/],
      [[file, '--plan', '--dry-run'], /'--plan' cannot be used with option '--dry-run'/],
      [[file, '--plan', '--diff'], /'--plan' cannot be used with option '--diff'/],
    ] as const) {
      const { code, err } = await commands.run('run', ...args);
      assert.deepEqual([code, said.test(err)], [2, true], err);
    }
  });

  it('compares two files without any cluster, the content of what they bring, too', async () => {
    await using commands = new CommandLine({ HEDDLE_CLUSTER: 'http://127.0.0.1:1', HOME: '/nowhere', HEDDLE_DATA: '/nowhere' });
    write('one.txt', 'one');
    write('two.txt', 'two');
    const [old, young] = [
      write('old.yaml', 'command: [x]\nfiles: ["one.txt#in"]\n'),
      write('young.yaml', 'command: [x]\nfiles: ["two.txt#in"]\n'),
    ];
    const { code, out } = await commands.run('run', old, young, '--diff');
    assert.equal(code, 1);
    assert.match(out, /~ +file in +sha256:7692c3ad3540bb80 +sha256:3fc4ccfe745870e2\n/);
    assert.equal((await commands.run('run', old, old, '--diff')).code, 0);
    assert.equal((await commands.run('run', old, '--instances', '2', old, '--diff')).code, 0, 'options count over both');
    for (const wrong of [[old, old, old], ['echo'], [join(folder, 'absent.yaml')]])
      assert.equal((await commands.run('run', ...wrong, '--diff')).code, 2);
  });
});
