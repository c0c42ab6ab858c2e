// What `heddle run` is told: by a file, and what stands before the command in its containers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { decodeJob } from '../wire/cluster/command-job.ts';
import { submissionOf } from './run.ts';
import { readRunFile } from './run-file.ts';
import { wrapped } from './run-stdin.ts';

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
  });

  it('is refused with what is wrong in it', () => {
    for (const [text, says] of [
      ['comand: [x]', /job\.yaml: comand is unknown/],
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
