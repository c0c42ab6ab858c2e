import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const examples = join(root, 'examples', 'simulate');
const heddle = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'src', 'main.ts'), 'simulate', ...args, '--data', join(tmpdir(), 'heddle-none')]);

describe('heddle simulate', () => {
  it('prints waits, shares and what is stuck, or JSON', async () => {
    const { stdout } = await heddle(join(examples, 'day.yaml'));
    assert.match(stdout, /66 submitted, 66 finished, 0 refused/);
    assert.match(stdout, /root\.people +62 /);
    assert.match(stdout, /shares over time/);
    const { stdout: json } = await heddle(join(examples, 'synth.json'), '--json', '--seed', '7');
    assert.equal(JSON.parse(json).jobs.finished, 40);
    const { stderr } = await heddle(join(examples, 'synth.json'), '--json', '--set', 'yarn.nobody.reads=1');
    assert.match(stderr, /^heddle: settings that Heddle does not implement: yarn\.nobody\.reads/);
  });

  it('ends quietly when its reader stops reading', async () => {
    const command = `"${process.execPath}" "${join(root, 'src', 'main.ts')}" simulate "${join(examples, 'day.yaml')}" | head -1`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command]);
    assert.match(stdout, /^queues .*\n$/);
    assert.equal(stderr, '');
  });

  it('sets queue files side by side', async () => {
    const files = ['capacity-scheduler.xml', 'more-for-people.xml'].map((name) => join(examples, name));
    const { stdout } = await heddle(join(examples, 'day.yaml'), '--compare', ...files);
    assert.match(stdout, /DIFFERENCE/);
    assert.match(stdout, /queue root\.people: task wait p95 .* -\d/);
  });

  it('tells what is broken in one line, with a remedy and exit code 2', async () => {
    const refused = (pattern: RegExp) => (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 2);
      return pattern.test(error.stderr);
    };
    await assert.rejects(
      heddle(join(examples, 'nowhere.json')),
      refused(/^heddle: .*nowhere\.json: there is no such file or folder\n {2}Name a file/),
    );
    await assert.rejects(heddle(join(examples, 'sls.json'), '--queues', 'a.xml', '--compare', 'b.xml'), refused(/exclude each other/));
    await assert.rejects(heddle(join(examples, 'sls.json'), '--node-size', '5'), refused(/MEMORYxVCORES/));
  });
});
