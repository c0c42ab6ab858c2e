// What of a submission is shown, and kept when its application has ended: what it ran, without what is secret. Values under the names of secrets and
// passwords in texts go; of secrets and credentials that came beside it the names stay.
import { Redaction } from '../../lib/redaction.ts';
import { commandJobVariable, jobIn, plainValue } from '../../wire/cluster/command-job.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { type SubmittedFile, type SubmittedWork, submittedWork } from '../../wire/cluster/submitted.ts';
import type { Submission } from '../applications/submission.ts';
import { storedJson } from './stored-json.ts';

/** Longer than this it is not kept for an ended application, characters. */
const mostKeptCharacters = 32_768;

/** Shows texts without what is secret in them, and knows of what kind that was. */
class Shown {
  readonly #redaction: Redaction;
  readonly hiddenVariables: string[] = [];
  withoutPasswords = false;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#redaction = new Redaction().learn(Object.entries(environment));
  }

  text(value: string): string {
    // A text by itself has no name that could be one of a secret.
    const shown = this.#redaction.shown('', value);
    if (shown !== value) this.withoutPasswords = true;
    return shown;
  }

  environment(variables: Readonly<Record<string, string>>): Record<string, string> {
    const visible: Record<string, string> = {};
    for (const [name, value] of Object.entries(variables)) {
      // A job that cannot be read may hold what is hidden by its name.
      if (name === commandJobVariable || this.#redaction.hides(name)) this.hiddenVariables.push(name);
      else visible[name] = this.text(value);
    }
    return visible;
  }

  files(resources: Readonly<Record<string, LocalResource>>): SubmittedFile[] {
    return Object.entries(resources).map(([name, { resource, type, size }]) => ({
      name,
      address: this.text(resource),
      archive: type === 'ARCHIVE',
      ...(size < 0 ? {} : { bytes: size }),
    }));
  }
}

/** What a submission runs, as who may change its application sees it; undefined where nothing is known of that. */
export function submittedWorkOf({ type, launch }: Pick<Submission, 'type' | 'launch'>): SubmittedWork | undefined {
  const job = jobIn(type, launch.environment);
  if (job !== undefined) {
    const plain = Object.fromEntries(Object.entries(job.environment).map(([name, value]) => [name, plainValue(value)]));
    const shown = new Shown(plain);
    const { instances, memoryMiB, vcores, resources = {}, secrets = [], retries, placement, opportunistic = false } = job;
    const run = {
      command: job.command.map((word) => shown.text(word)),
      ...{ instances, memoryMiB, vcores, resources },
      environment: shown.environment(plain),
      files: shown.files(job.files),
      ...{ secrets, retries },
      tags: placement?.tags ?? [],
      ...(placement?.constraint === undefined ? {} : { constraint: placement.constraint }),
      opportunistic,
    };
    return { run, hiddenVariables: shown.hiddenVariables, withoutPasswords: shown.withoutPasswords };
  }
  const { commands, environment, localResources, serviceData, tokens, secretEnvironment = {} } = launch;
  if (commands.length === 0) return undefined;
  const shown = new Shown({ ...environment, ...secretEnvironment });
  return {
    launch: {
      commands: commands.map((command) => shown.text(command)),
      environment: shown.environment(environment),
      files: shown.files(localResources),
      services: Object.keys(serviceData),
      credentials: tokens !== undefined,
      secrets: Object.keys(secretEnvironment),
    },
    hiddenVariables: shown.hiddenVariables,
    withoutPasswords: shown.withoutPasswords,
  };
}

/** The text under which it is kept for an ended application; undefined: nothing is. */
export function submittedWorkToText(submission: Pick<Submission, 'type' | 'launch'>): string | undefined {
  const work = submittedWorkOf(submission);
  const text = work && JSON.stringify(work);
  return text === undefined || text.length > mostKeptCharacters ? undefined : text;
}

/** @throws Error where the text is not one of it */
export const submittedWorkFromText = (text: string): SubmittedWork =>
  storedJson(submittedWork, text, 'what an application ran') as SubmittedWork;
