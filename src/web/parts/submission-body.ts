// What the form of a submission says, as the server takes it.
import { pairsOf, readRetries, takenOut } from '../format/submission.ts';
import { readSeconds } from '../format/times.ts';

/** A file that the form has besides those that are chosen in it. */
export interface KeptFile {
  readonly name: string;
  readonly archive: boolean;
  /** Where nodes read it, what it holds, or that it stays as it is. */
  readonly content: { readonly uri: string } | { readonly base64: string } | Stays;
}

/** In place of a value that nobody shows here, and that stays where it is. */
export const stays = { stays: true } as const;
export type Stays = typeof stays;

/** What a form has besides its fields. */
export interface KeptParts {
  readonly files: readonly KeptFile[];
  readonly variables: Readonly<Record<string, string | Stays>>;
  readonly secrets?: Readonly<Record<string, Stays>>;
  /** Passwords were taken out of its texts, and have to be put in again. */
  readonly lacksPasswords: boolean;
}

/** What a file holds. */
export function base64Of(file: Blob, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(new Error(`${name} cannot be read: ${reader.error?.message}`));
    reader.readAsDataURL(file);
  });
}

/** The chosen files and those that were kept, by name. A browser sends an empty one where none is chosen. */
async function filesOf(form: FormData, kept: readonly KeptFile[]): Promise<Record<string, object>> {
  const chosen = form.getAll('files').filter((file): file is File => typeof file !== 'string' && file.name !== '');
  const before = kept.map(({ name, archive, content }) => [name, { ...content, ...(archive && { archive }) }] as const);
  const read = await Promise.all(chosen.map(async (file) => [file.name, { base64: await base64Of(file, file.name) }] as const));
  return Object.fromEntries([...before, ...read]);
}

/** Values that nobody sees, by name. @throws Error where a name comes twice */
function hiddenOf(form: FormData, kind: 'secret' | 'variable'): Record<string, string> {
  const values = form.getAll(`${kind}-value`).map(String);
  const names = form.getAll(`${kind}-name`).map((name) => String(name).trim());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`There are two ${kind}s ${twice}.`);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

export const isThere = (named: object): boolean => Object.keys(named).length > 0;
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Amounts by names of resource types. @throws Error */
function amountsOf(text: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pairsOf(text, 'resource')).map(([name, amount]) => {
      if (!/^\d{1,15}$/.test(amount)) throw new Error(`"${amount}" of ${name} is no amount: write a whole number.`);
      return [name, Number(amount)];
    }),
  );
}

/** A submission of a run. */
export interface SubmissionBody extends Readonly<Record<string, unknown>> {
  readonly run: Readonly<Record<string, unknown>>;
}

/** The body of `POST /api/v1/applications`. @throws Error that says which field is wrong */
export async function bodyOf(form: FormData, kept: KeptParts): Promise<SubmissionBody> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lifetime = text('lifetime');
  const seconds = lifetime === '' ? undefined : readSeconds(lifetime);
  if (lifetime !== '' && seconds === undefined) throw new Error(`"${lifetime}" is no time: write 90 s, 30 min, 2 h or 1 d.`);
  const environment = { ...kept.variables, ...pairsOf(text('environment'), 'variable'), ...hiddenOf(form, 'variable') };
  const secrets = { ...kept.secrets, ...hiddenOf(form, 'secret') };
  const files = await filesOf(form, kept.files);
  const [tags, containerTags] = [listOf(text('tags')), listOf(text('containerTags'))];
  const resources = amountsOf(text('resources'));
  const body = {
    'application-name': text('name') || text('command').slice(0, 100),
    ...(text('queue') !== '' && { queue: text('queue') }),
    ...(tags.length > 0 && { 'application-tags': { tag: tags } }),
    ...(text('priority') !== '' && { priority: Number(text('priority')) }),
    ...(seconds !== undefined && { 'application-timeouts': { LIFETIME: seconds } }),
    ...(text('label') !== '' && { 'app-node-label-expression': text('label') }),
    ...(text('reservation') !== '' && { 'reservation-id': text('reservation') }),
    ...(text('masterMemory') !== '' && { resource: { memory: Number(text('masterMemory')), vCores: 1 } }),
    run: {
      command: ['sh', '-c', text('command')],
      instances: Number(text('instances')),
      memoryMiB: Number(text('memory')),
      vcores: Number(text('vcores')),
      ...(isThere(resources) && { resources }),
      ...(isThere(environment) && { environment }),
      ...(isThere(files) && { files }),
      ...(isThere(secrets) && { secrets }),
      retries: readRetries(text('retries')),
      ...(containerTags.length > 0 && { tags: containerTags }),
      ...(text('constraint') !== '' && { constraint: text('constraint') }),
      ...(form.get('opportunistic') !== null && { opportunistic: true }),
    },
  };
  if (kept.lacksPasswords && JSON.stringify([body.run.command, environment, files]).includes(takenOut))
    throw new Error(`Passwords were taken out of it: write them where ${takenOut} stands.`);
  return body;
}
