import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { commandText } from './submission.ts';

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
