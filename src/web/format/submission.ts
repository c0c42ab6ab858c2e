// What an application was submitted with, as people read it and as a form submits it again.
import type { SubmittedContext, SubmittedFile } from '../../wire/cluster/submitted.ts';

/** A word for a POSIX shell. */
const quoted = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A command as one line for sh: what `sh -c` was given stays as it is. */
export function commandText(command: readonly string[]): string {
  const [shell, option, line, ...more] = command;
  if (shell === 'sh' && option === '-c' && line !== undefined && more.length === 0) return line;
  return command.map(quoted).join(' ');
}

/** What stands where the server took a password out. */
export const takenOut = '<redacted>';

/** `NAME=value` a line. @throws Error that says which line is none */
export function pairsOf(text: string, what: string): Record<string, string> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1) throw new Error(`"${line}" is no ${what}: write NAME=value.`);
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

const isOneLine = (value: string): boolean => value === value.trim() && !/[\n\r]/.test(value);
const linesOf = (named: Readonly<Record<string, string | number>>): string =>
  Object.entries(named)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** How masters are told to try for ever (`run.retries`). */
const endlessRetries = -1;
const endlessWord = 'unlimited';

/** How often something is tried again, as a text. */
export const retriesText = (count: number): string => (count === endlessRetries ? endlessWord : String(count));

/** The number that a text of `retriesText` says. */
export const readRetries = (text: string): number => (text === endlessWord ? endlessRetries : Number(text));

/** What a form begins with: texts of its fields, and what it takes along as it was. */
export interface FormStart {
  readonly texts: Readonly<Partial<Record<FieldName, string>>>;
  readonly opportunistic: boolean;
  /** Names of secrets, and of variables whose values nobody shows: both have to be given again. */
  readonly secrets: readonly string[];
  readonly hiddenVariables: readonly string[];
  /** Variables that no line can say. */
  readonly otherVariables: Readonly<Record<string, string>>;
  readonly files: readonly SubmittedFile[];
  /** Whether a password was taken out of something that is in the texts. */
  readonly lacksPasswords: boolean;
}
/** The fields of the form that hold texts. */
export type FieldName =
  | ('command' | 'instances' | 'memory' | 'vcores' | 'retries' | 'name' | 'queue' | 'tags' | 'priority' | 'lifetime' | 'environment')
  | ('resources' | 'label' | 'reservation' | 'containerTags' | 'constraint' | 'masterMemory');

/** Fields that stand behind "Further". */
export const furtherFields: readonly FieldName[] = ['resources', 'label', 'reservation', 'containerTags', 'constraint', 'masterMemory'];

/** What masters have where nobody says it, MiB: by the number of instances, which may become another. */
const usualMasterMemory: ReadonlySet<number> = new Set([128, 256, 512]);

/** What a form may begin with. */
export type FormSource = Pick<
  SubmittedContext,
  'name' | 'queue' | 'priority' | 'tags' | 'label' | 'reservationId' | 'lifetimeSeconds' | 'master' | 'run' | 'hiddenVariables'
>;

/** A form that submits a run again; undefined for what was no run, or whose command the caller may not see. */
export function formStartOf(submitted: FormSource): FormStart | undefined {
  const { run } = submitted;
  if (run?.command === undefined) return undefined;
  const { environment, files, secrets } = run;
  const variables = Object.entries(environment);
  const masterMemory = submitted.master['memoryMiB'] ?? 0;
  const texts: Partial<Record<FieldName, string>> = {
    command: commandText(run.command),
    instances: String(run.instances),
    memory: String(run.memoryMiB),
    vcores: String(run.vcores),
    retries: retriesText(run.retries),
    name: submitted.name,
    queue: submitted.queue ?? '',
    tags: submitted.tags.join(', '),
    priority: submitted.priority === undefined ? '' : String(submitted.priority),
    lifetime: submitted.lifetimeSeconds === undefined ? '' : `${submitted.lifetimeSeconds} s`,
    environment: linesOf(Object.fromEntries(variables.filter(([, value]) => isOneLine(value)))),
    resources: linesOf(run.resources),
    label: submitted.label ?? '',
    reservation: submitted.reservationId ?? '',
    containerTags: run.tags.join(', '),
    constraint: run.constraint ?? '',
    masterMemory: masterMemory === 0 || usualMasterMemory.has(masterMemory) ? '' : String(masterMemory),
  };
  return {
    texts,
    opportunistic: run.opportunistic,
    secrets,
    hiddenVariables: submitted.hiddenVariables,
    otherVariables: Object.fromEntries(variables.filter(([, value]) => !isOneLine(value))),
    files,
    lacksPasswords: [texts.command, ...Object.values(environment), ...files.map(({ address }) => address)].some((text) =>
      text?.includes(takenOut),
    ),
  };
}
