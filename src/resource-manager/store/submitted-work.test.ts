import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aSubmission } from '../test-support/builders.ts';
import { submittedWorkFromText, submittedWorkToText } from './submitted-work.ts';

const launched = (command: string) => {
  const submission = aSubmission();
  return { ...submission, launch: { ...submission.launch, commands: [command] } };
};

it('what an ended application ran is kept up to a length, whole or not at all', () => {
  const short = submittedWorkToText(launched('x'.repeat(30_000)));
  assert.equal(submittedWorkFromText(short ?? '').launch?.commands?.[0]?.length, 30_000);
  assert.equal(submittedWorkToText(launched('x'.repeat(32_768))), undefined);
});
