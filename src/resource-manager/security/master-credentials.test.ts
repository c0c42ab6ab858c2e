import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MasterTokens } from '../../auth/application-tokens/application-tokens.ts';
import { TokenKeys } from '../../auth/application-tokens/token-keys.ts';
import { ManualClock } from '../../lib/clock.ts';
import { credentialsFile, writtenToken } from '../../wire/files/credentials.ts';
import { readCredentials } from '../../wire/files/read-credentials.ts';
import { masterCredentials } from './master-credentials.ts';

const clock = new ManualClock();
const masters = new MasterTokens(new TokenKeys({ root: Buffer.alloc(32, 1), kind: 'k', rollingMs: 60_000, sinceMs: clock.now(), clock }));
const attemptId = 'appattempt_1700000000000_0001_000001';
const token = (kind: string): Buffer => writtenToken({ identifier: Buffer.from('i'), password: Buffer.from('p'), kind, service: 's:1' });

it('gives a master its token beside what the submission brought, in the place of one that claims its name', () => {
  const given = credentialsFile(
    [
      ['hdfs', token('HDFS')],
      ['', token('claimed')],
    ],
    [['secret', Buffer.from('x')]],
  );
  const credentials = readCredentials(Buffer.from(masterCredentials(masters, attemptId, given.toString('base64')), 'base64'));
  assert.deepEqual(credentials?.tokens, [
    ['hdfs', token('HDFS')],
    ['', writtenToken(masters.issue(attemptId))],
  ]);
  assert.deepEqual(credentials?.secrets, [['secret', Buffer.from('x')]]);
});

it('gives a master without credentials its token alone', () => {
  const credentials = readCredentials(Buffer.from(masterCredentials(masters, attemptId, undefined), 'base64'));
  assert.deepEqual(credentials, { tokens: [['', writtenToken(masters.issue(attemptId))]], secrets: [] });
});
