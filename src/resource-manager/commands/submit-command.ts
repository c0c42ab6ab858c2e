// Submitting a command that is to run in some containers: its rules, its inline files, and the master of Heddle's own that runs it.
import { failure } from '../../model/errors.ts';
import { ConstraintMalformed, constraintText, parseConstraint } from '../../model/placement-constraint.ts';
import { type CommandJob, commandMaster, encodeJob, endlessRetries, literalValue, mostInstances } from '../../wire/cluster/command-job.ts';
import type { LaunchContext, LocalResource } from '../../wire/cluster/launch-context.ts';
import { credentialsFile } from '../../wire/files/credentials.ts';
import type { Caller } from './caller.ts';
import { refusedInstances } from './instance-limits.ts';
import { removeStagedFiles, type StagingPorts, stageFile } from './staging.ts';
import type { SubmissionRequest } from './submission-request.ts';
import { type SubmissionKey, type SubmitPorts, submit } from './submit.ts';

/** A file of the command: its content, or where nodes find it. */
export interface CommandFile {
  readonly content: Buffer | undefined;
  readonly uri: string | undefined;
  readonly isArchive: boolean;
}

/** A command as its caller wants it run; what is undefined was not said. */
export interface CommandRequest {
  readonly command: readonly string[];
  readonly instances: number | undefined;
  readonly memoryMiB: number | undefined;
  readonly vcores: number | undefined;
  /** Amounts of further resource types. */
  readonly resources: ReadonlyMap<string, number>;
  readonly environment: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, CommandFile>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly retries: number | undefined;
  readonly opportunistic: boolean | undefined;
  /** Allocation tags of its containers; none: `run`, where there is a constraint. */
  readonly tags?: readonly string[] | undefined;
  /** Where they may stand, in YARN's constraint language. */
  readonly constraint?: string | undefined;
}

export interface SubmitCommandPorts {
  readonly submit: SubmitPorts;
  readonly staging: StagingPorts;
}

const bounds = {
  words: 10_000,
  instances: mostInstances,
  retries: 1000,
  secrets: 64,
  secretBytes: 65_536,
  files: 1000,
  tags: 100,
} as const;
/** What an instance has where it is not said. */
const usual = { memoryMiB: 1024, vcores: 1 } as const;
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,200}$/;
const hasNul = (text: string): boolean => text.includes('\0');
const ownNames = /^HEDDLE_(?:ATTEMPT|JOB)_TOKEN$/;

/**
 * Leaves the inline files in the caller's staging area and submits the master that runs the command. Resolves to the application's id when
 * it is durable. What was staged for a submission that was not taken, or was taken before under its key, is removed.
 * @throws Failure BAD_REQUEST, STAGING_…, and all of `submit`
 */
export async function submitCommand(
  { submit: ports, staging }: SubmitCommandPorts,
  caller: Caller,
  request: SubmissionRequest,
  run: CommandRequest,
  once?: SubmissionKey,
): Promise<string> {
  checkRun(run);
  placementOf(run);
  const { memoryMiB = usual.memoryMiB, vcores = usual.vcores } = run;
  const size = { memoryMiB, vcores, resources: Object.fromEntries(run.resources) };
  const refused = refusedInstances(size, ports.admission.policy, ports.admission.types);
  if (refused !== undefined) throw failure('SUBMISSION_REFUSED', { reason: refused });
  const { applicationId } = request;
  const isKnown =
    (once && ports.keys.find(caller.user, once.key, ports.clock.now())) !== undefined ||
    ports.applications.submissionOf(applicationId) !== undefined;
  if (isKnown) return submit(ports, caller, request, once);
  const inline = [...run.files.values()].some(({ content }) => content !== undefined);
  const drop = () => (inline ? removeStagedFiles(staging, caller, caller.user, applicationId) : undefined);
  try {
    const files = await stageAll(staging, caller, applicationId, run.files);
    const id = await submit(ports, caller, { ...request, ...masterOf(request, run), launch: launchOf(run, files) }, once);
    if (id !== applicationId) await drop();
    return id;
  } catch (problem) {
    await drop();
    throw problem;
  }
}

/** The submission of the master that would run the command, with nothing staged. @throws Failure BAD_REQUEST */
export function commandSubmission(request: SubmissionRequest, run: CommandRequest): SubmissionRequest {
  checkRun(run);
  return { ...request, ...masterOf(request, run), launch: launchOf(run, {}) };
}

/** What the master gets that was not said. */
const masterOf = (request: SubmissionRequest, { command, instances = 1, retries }: CommandRequest): Partial<SubmissionRequest> => ({
  name: request.name ?? command.join(' ').slice(0, 100),
  type: request.type ?? commandMaster.type,
  maximumAttempts: request.maximumAttempts ?? commandMaster.attempts,
  failuresValidityIntervalMs:
    request.failuresValidityIntervalMs ?? (retries === endlessRetries ? commandMaster.endlessValidityMs : undefined),
  keepContainers: request.keepContainers ?? true,
  resource: request.resource ?? { memoryMiB: commandMaster.memoryMiBOf(instances), vcores: 1, others: new Map() },
});

/** @throws Failure BAD_REQUEST naming the first member that is wrong */
function checkRun({ command, instances = 1, memoryMiB = 1, vcores = 1, retries = 0, environment, secrets, files }: CommandRequest): void {
  const must = (holds: boolean, what: string) => {
    if (!holds) throw failure('BAD_REQUEST', { reason: `run.${what}` });
  };
  const within = (value: number, from: number, to: number) => Number.isInteger(value) && value >= from && value <= to;
  must(command.length > 0 && command[0] !== '' && command.length <= bounds.words, `command must be 1 to ${bounds.words} words`);
  must(!command.some(hasNul), 'command has a word with the character NUL, which no program can be given');
  must(within(instances, 1, bounds.instances), `instances must be a whole number from 1 to ${bounds.instances}`);
  must(within(memoryMiB, 1, 2 ** 31), 'memoryMiB must be a whole number above 0');
  must(within(vcores, 1, 2 ** 31), 'vcores must be a whole number above 0');
  must(
    retries === endlessRetries || within(retries, 0, bounds.retries),
    `retries must be a whole number from 0 to ${bounds.retries}, or ${endlessRetries} for ever`,
  );
  for (const [name, value] of environment) {
    must(variableName.test(name), `environment has a name that no variable can have: ${name}`);
    must(!hasNul(value), `environment.${name} has the character NUL, which no variable can have`);
    must(
      !secrets.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE'),
      `environment.${name} names the file of the secret ${name.slice(0, -5)}: leave it out`,
    );
  }
  must(secrets.size <= bounds.secrets, `secrets may be ${bounds.secrets} at most`);
  for (const [name, secret] of secrets) {
    must(variableName.test(name) && !ownNames.test(name), `secrets has a name that cannot be one of a secret: ${name}`);
    must(Buffer.byteLength(secret) <= bounds.secretBytes, `secrets.${name} is longer than ${bounds.secretBytes} bytes`);
  }
  must(files.size <= bounds.files, `files may be ${bounds.files} at most`);
  for (const [name, { content, uri }] of files) {
    must(name !== '' && name !== '.' && name !== '..' && !name.includes('/'), `files has a name that no file can have: ${name}`);
    must((content === undefined) !== (uri === undefined), `files.${name} must have one of text, base64 and uri`);
    must(uri === undefined || URL.canParse(uri), `files.${name}.uri is no address`);
  }
}

/** @throws Failure BAD_REQUEST */
function placementOf({ tags, constraint }: CommandRequest): Pick<CommandJob, 'placement'> {
  if (tags === undefined && constraint === undefined) return {};
  const wrong = tags?.find((tag) => !/^[\w.-]{1,256}$/.test(tag));
  if (wrong !== undefined || (tags?.length ?? 0) > bounds.tags)
    throw failure('BAD_REQUEST', { reason: `run.tags may be ${bounds.tags} at most, of letters, digits, points, _ and -` });
  try {
    return {
      placement: {
        tags: tags === undefined || tags.length === 0 ? ['run'] : tags,
        ...(constraint === undefined ? {} : { constraint: constraintText(parseConstraint(constraint)) }),
      },
    };
  } catch (error) {
    if (!(error instanceof ConstraintMalformed)) throw error;
    throw failure('BAD_REQUEST', { reason: `run.constraint: ${error.message}` });
  }
}

/** Stages what was sent along; gives all files as nodes bring them. */
async function stageAll(
  ports: StagingPorts,
  caller: Caller,
  applicationId: string,
  files: CommandRequest['files'],
): Promise<Record<string, LocalResource>> {
  const resources: Record<string, LocalResource> = {};
  for (const [name, { content, uri = '', isArchive }] of files) {
    const common = { type: isArchive ? 'ARCHIVE' : 'FILE', visibility: 'APPLICATION', timestamp: -1 } as const;
    if (content === undefined) {
      resources[name] = { ...common, resource: uri, size: -1 };
      continue;
    }
    const place = { user: caller.user, applicationId, name };
    const staged = await stageFile(ports, caller, place, piecesOf(content), { bytes: content.length, sha256: undefined });
    resources[name] = { ...common, resource: staged.uri, size: staged.bytes };
  }
  return resources;
}

async function* piecesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

/** What the master's container runs. */
function launchOf(run: CommandRequest, files: Record<string, LocalResource>): LaunchContext {
  const { command, instances = 1, memoryMiB = usual.memoryMiB, vcores = usual.vcores } = run;
  const { resources, environment, secrets, retries = 2, opportunistic } = run;
  const job: CommandJob = {
    command,
    instances,
    memoryMiB,
    vcores,
    ...(resources.size > 0 ? { resources: Object.fromEntries(resources) } : {}),
    environment: Object.fromEntries([...environment].map(([name, value]) => [name, literalValue(value)])),
    files,
    ...(secrets.size > 0 ? { secrets: [...secrets.keys()] } : {}),
    retries,
    ...(opportunistic ? { opportunistic } : {}),
    ...placementOf(run),
    attached: false,
  };
  const tokens =
    secrets.size === 0
      ? undefined
      : credentialsFile(
          [],
          [...secrets].map(([name, secret]) => [name, Buffer.from(secret)]),
        );
  return {
    commands: [commandMaster.command],
    environment: { [commandMaster.variable]: encodeJob(job) },
    localResources: {},
    serviceData: {},
    ...(tokens === undefined ? {} : { tokens: tokens.toString('base64') }),
  };
}
