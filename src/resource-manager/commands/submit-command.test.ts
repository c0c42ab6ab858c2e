import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure, failure } from '../../model/errors.ts';
import { decodeJob } from '../../wire/cluster/command-job.ts';
import { secretsOfCredentials } from '../../wire/files/credentials.ts';
import { SubmissionKeys } from '../applications/submission-keys.ts';
import { accessOf, bareSubmission, callerNamed, queuePolicy, RememberedAudit, types } from '../test-support/commands.ts';
import type { Admitted } from './admission.ts';
import type { SubmissionRequest } from './submission-request.ts';
import { type CommandFile, type CommandRequest, type SubmitCommandPorts, submitCommand } from './submit-command.ts';

const ada = callerNamed('ada');
const requestOf = (sequence: number, more: Partial<SubmissionRequest> = {}): SubmissionRequest =>
  bareSubmission(`application_1_000${sequence}`, { priority: -1, ...more });
const inline = (text: string) => ({ content: Buffer.from(text), uri: undefined, isArchive: false });
const runOf = (more: Partial<CommandRequest> = {}): CommandRequest => ({
  command: ['cat', 'a b'],
  instances: undefined,
  memoryMiB: undefined,
  vcores: undefined,
  resources: new Map(),
  environment: new Map(),
  files: new Map(),
  secrets: new Map(),
  retries: undefined,
  opportunistic: undefined,
  ...more,
});

function stand() {
  const policy = queuePolicy();
  const audit = new RememberedAudit();
  const created: Admitted[] = [];
  const staged: string[] = [];
  const ports: SubmitCommandPorts = {
    submit: {
      applications: {
        beyondRoom: () => undefined,
        submissionOf: (id) => (created.some(({ submission }) => submission.applicationId === id) ? Promise.resolve() : undefined),
        reserveId: () => undefined,
        create: async (application) => void created.push(application),
      },
      admission: { policy, access: accessOf(policy, audit), types, settings: { masterLabel: undefined, taggingUsers: undefined } },
      limits: () => ({ configuredMaximum: policy.configuredMaximum(), maximumTags: 2, maximumTagLength: 5, lowerCaseTags: true, types }),
      audit,
      keys: new SubmissionKeys(),
      clock: { now: () => 1000 },
    },
    staging: {
      area: {
        async put({ user, applicationId, name }, content) {
          let text = '';
          for await (const piece of content) text += Buffer.from(piece).toString();
          if (text === 'too long') throw failure('STAGING_QUOTA', { user, limitBytes: 1, limitFiles: 1 });
          staged.push(`${applicationId}/${name} ${text}`);
          return { uri: `staging:/${user}/${applicationId}/${name}`, bytes: text.length, sha256: '' };
        },
        read: () => Promise.reject(new Error('nobody reads')),
        async remove(_user, applicationId) {
          for (let index = staged.length - 1; index >= 0; index--) if (staged[index]?.startsWith(applicationId)) staged.splice(index, 1);
        },
      },
      applications: { findAny: () => undefined },
      audit,
    },
  };
  return { ports, created, staged };
}
const refusal = async (answer: Promise<string>): Promise<string> => {
  try {
    return `taken as ${await answer}`;
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return `${error.code} ${error.message}`;
  }
};

describe('submitting a command', () => {
  it('becomes a master with all that it needs: job, files, secrets', async () => {
    const { ports, created, staged } = stand();
    const run = runOf({
      instances: 2,
      environment: new Map([['PRICE', '5 $']]),
      files: new Map<string, CommandFile>([
        ['a b', inline('hello')],
        ['c', { content: undefined, uri: 'https://example.org/c.zip', isArchive: true }],
      ]),
      secrets: new Map([['PASSWORD', 'hidden']]),
    });
    assert.equal(await submitCommand(ports, ada, requestOf(1), run), 'application_1_0001');
    const { submission } = created[0]!;
    assert.deepEqual(
      [submission.name, submission.type, submission.resource, submission.keepContainers],
      ['cat a b', 'HEDDLE-RUN', [128, 1], true],
    );
    const job = decodeJob(submission.launch.environment['HEDDLE_COMMAND_JOB'] ?? '');
    assert.deepEqual(
      [job.command, job.instances, job.memoryMiB, job.environment, job.secrets],
      [['cat', 'a b'], 2, 1024, { PRICE: '5 \\$' }, ['PASSWORD']],
    );
    assert.deepEqual(
      Object.values(job.files).map(({ resource, type, size }) => [resource, type, size]),
      [
        ['staging:/ada/application_1_0001/a b', 'FILE', 5],
        ['https://example.org/c.zip', 'ARCHIVE', -1],
      ],
    );
    assert.deepEqual(staged, ['application_1_0001/a b hello']);
    const secrets = secretsOfCredentials(Buffer.from(submission.launch.tokens ?? '', 'base64'));
    assert.equal(secrets.get('PASSWORD')?.toString(), 'hidden');
    assert.ok(!JSON.stringify(job).includes('hidden'));
  });

  it('that goes on for ever has a master whose failures of long ago do not count', async () => {
    const { ports, created } = stand();
    await submitCommand(ports, ada, requestOf(1), runOf({ retries: -1 }));
    await submitCommand(ports, ada, requestOf(2), runOf({ retries: 1000 }));
    await submitCommand(ports, ada, requestOf(3, { failuresValidityIntervalMs: 5 }), runOf({ retries: -1 }));
    assert.deepEqual(
      created.map(({ submission }) => [submission.failuresValidityIntervalMs, submission.maximumAttempts]),
      [
        [600_000, 2],
        [-1, 2],
        [5, 2],
      ],
    );
    assert.equal(decodeJob(created[0]?.submission.launch.environment['HEDDLE_COMMAND_JOB'] ?? '').retries, -1);
  });

  it('is refused for what cannot be run, before anything is staged', async () => {
    const { ports, created, staged } = stand();
    const wrong: [Partial<CommandRequest>, RegExp][] = [
      [{ command: [] }, /run.command must be/],
      [{ command: ['a\0b'] }, /run.command has a word with the character NUL/],
      [{ instances: 0 }, /run.instances must be/],
      [{ instances: 1.5 }, /run.instances must be/],
      [{ memoryMiB: -1 }, /run.memoryMiB must be/],
      [{ retries: 1001 }, /run.retries must be/],
      [{ retries: -2 }, /run.retries must be a whole number from 0 to 1000, or -1 for ever/],
      [{ environment: new Map([['A B', '']]) }, /run.environment has a name/],
      [{ environment: new Map([['A', '\0']]) }, /run.environment.A has the character NUL/],
      [{ environment: new Map([['A_FILE', '']]), secrets: new Map([['A', 'x']]) }, /run.environment.A_FILE names the file of the secret A/],
      [{ secrets: new Map([['HEDDLE_ATTEMPT_TOKEN', '']]) }, /run.secrets has a name/],
      [{ secrets: new Map([['A', 'x'.repeat(65_537)]]) }, /run.secrets.A is longer than 65536 bytes/],
      [{ files: new Map([['../a', inline('')]]) }, /run.files has a name/],
      [{ files: new Map([['a', { content: undefined, uri: undefined, isArchive: false }]]) }, /run.files.a must have one of/],
      [{ files: new Map([['a', { content: undefined, uri: 'here', isArchive: false }]]) }, /run.files.a.uri is no address/],
    ];
    for (const [more, reason] of wrong)
      assert.match(
        await refusal(submitCommand(ports, ada, requestOf(1), runOf({ files: new Map([['f', inline('f')]]), ...more }))),
        reason,
      );
    assert.deepEqual([created, staged], [[], []]);
  });

  it('leaves nothing staged where it is not taken', async () => {
    const { ports, created, staged } = stand();
    const files = new Map([['f', inline('f')]]);
    assert.match(await refusal(submitCommand(ports, ada, requestOf(1, { queue: 'closed' }), runOf({ files }))), /^SUBMISSION_REFUSED/);
    const large = new Map([...files, ['g', inline('too long')]]);
    assert.match(await refusal(submitCommand(ports, ada, requestOf(2), runOf({ files: large }))), /^STAGING_QUOTA/);
    assert.deepEqual([created, staged], [[], []]);
  });

  it('happens once under a key, and stages once', async () => {
    const { ports, created, staged } = stand();
    const run = runOf({ files: new Map([['f', inline('f')]]) });
    const once = { key: 'k', digest: 'd'.repeat(43) };
    const both = await Promise.all([1, 2].map((sequence) => submitCommand(ports, ada, requestOf(sequence), run, once)));
    assert.deepEqual([...both, await submitCommand(ports, ada, requestOf(3), run, once)], Array(3).fill('application_1_0001'));
    assert.deepEqual([created.length, staged], [1, ['application_1_0001/f f']]);
  });
});
