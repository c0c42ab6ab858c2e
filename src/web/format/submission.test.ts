import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { SubmittedContext } from '../../wire/cluster/submitted.ts';
import { commandText, formStartOf, pairsOf } from './submission.ts';

describe('a command as a line', () => {
  it('is what the shell was given, or words that a shell takes apart again', () => {
    assert.equal(commandText(['sh', '-c', 'echo "a b"; exit 3']), 'echo "a b"; exit 3');
    for (const words of [
      ['printf', '%s|', 'a b', "it's", '', '$HOME', '*'],
      ['sh', '-c', 'printf "%s|" "$@"', 'sh', 'x y'],
    ])
      assert.equal(
        execFileSync('sh', ['-c', commandText(words)], { encoding: 'utf8' }),
        execFileSync(words[0]!, words.slice(1), { encoding: 'utf8' }),
      );
  });
});

describe('a form that submits again', () => {
  const run: SubmittedContext['run'] = {
    command: ['sh', '-c', 'true'],
    ...{ instances: 2, memoryMiB: 512, vcores: 3, retries: 1 },
    resources: { 'yarn.io/gpu': 1 },
    environment: { A: 'x=y', B: 'two\nlines', C: ' blank', D: '' },
    files: [{ name: 'f', address: 'http://u:<redacted>@h/f', archive: false }],
    secrets: ['S'],
    tags: ['t'],
    constraint: 'notin,node,t',
    opportunistic: true,
  };
  const submitted: SubmittedContext = {
    ...{
      id: 'a',
      name: 'n',
      user: 'u',
      type: 'HEDDLE-RUN',
      submittedTime: 1,
      tags: ['one', 'two'],
      queue: 'q',
      priority: 0,
      lifetimeSeconds: 90,
    },
    ...{ master: { memoryMiB: 640, vcores: 1 }, keepContainers: true, unmanaged: false, hiddenVariables: ['P_TOKEN'], notes: [], run },
  };

  it('has everything that was asked for, as text where a line can say it', () => {
    const { texts, ...others } = formStartOf(submitted)!;
    assert.deepEqual(texts, {
      ...{
        command: 'true',
        instances: '2',
        memory: '512',
        vcores: '3',
        retries: '1',
        name: 'n',
        queue: 'q',
        tags: 'one, two',
        priority: '0',
      },
      ...{ lifetime: '90 s', environment: 'A=x=y\nD=', resources: 'yarn.io/gpu=1', label: '', reservation: '', containerTags: 't' },
      ...{ constraint: 'notin,node,t', masterMemory: '640' },
    });
    assert.deepEqual(pairsOf(texts.environment ?? '', 'variable'), { A: 'x=y', D: '' });
    assert.deepEqual(others, {
      ...{ opportunistic: true, secrets: ['S'], hiddenVariables: ['P_TOKEN'], otherVariables: { B: 'two\nlines', C: ' blank' } },
      ...{ files: run.files, lacksPasswords: true },
    });
  });

  it('lets its master have what goes with the number of instances, where nobody said otherwise', () => {
    assert.equal(formStartOf({ ...submitted, master: { memoryMiB: 256, vcores: 1 } })?.texts.masterMemory, '');
  });

  it('is none of what was no command, or is hidden', () => {
    const { run: _, ...other } = submitted;
    assert.equal(formStartOf(other), undefined);
    const { command: __, ...hidden } = run;
    assert.equal(formStartOf({ ...submitted, run: hidden }), undefined);
  });

  it('says which line is no variable', () => {
    assert.throws(() => pairsOf('A=1\n=x', 'variable'), /"=x" is no variable: write NAME=value/);
  });
});
