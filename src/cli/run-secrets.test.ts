import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { CommandFailure } from './failure.ts';
import { credentialsOf, readSecrets } from './run-secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-run-secrets-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

it('secrets travel in the credentials, base64 as Hadoop reads it', () => {
  const secrets = readSecrets([`PASS=${file('a', 'größe=1\n')}`]);
  assert.deepEqual(credentialsOf(secrets), {
    credentials: { secrets: { entry: [{ key: 'PASS', value: Buffer.from('größe=1\n').toString('base64url') }] } },
  });
  assert.deepEqual(credentialsOf(readSecrets()), {});
});

it('what is no secret is refused without showing it', () => {
  for (const [text, says] of [
    ['hunter2', /is not NAME=FILE/],
    ['=x', /is not NAME=FILE/],
    ['A-B=x', /is not NAME=FILE/],
    ['A=', /is not NAME=FILE/],
    ['HEDDLE_ATTEMPT_TOKEN=x', /name of Heddle's own/],
    [`A=${join(folder, 'none')}`, /none: there is no such file or folder$/],
    [`A=${folder}`, /: is a folder, and no file$/],
    [`A=${file('long', Buffer.alloc(65537, 'a'))}`, /longer than 65536 bytes/],
    [`A=${file('bytes', Buffer.from([0xff, 0xfe]))}`, /is no text/],
  ] as const)
    assert.throws(
      () => readSecrets([text]),
      (error) => error instanceof CommandFailure && says.test(error.message) && !error.message.includes('hunter2'),
      text,
    );
  assert.throws(() => readSecrets(Array(65).fill('A=x')), /more than 64/);
});
