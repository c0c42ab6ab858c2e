// What a form changes of the submission that it began with: a merge patch, so that what nobody is shown stays where it is.
import { changesOf } from '../format/changes.ts';
import { type FormStart, takenOut } from '../format/submission.ts';
import { bodyOf, isThere, type KeptFile, type KeptParts, type Stays, type SubmissionBody, stays } from './submission-body.ts';

/** Names of what is not shown. */
export interface HiddenParts {
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
}

/** What a form that began with something changes of it. */
export interface SubmissionChange {
  /** As the form is now; what stays unseen is marked. */
  readonly body: SubmissionBody;
  /** What is other than it was, as a merge patch; undefined: nothing. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}

/** What is changed of a submission that a form began with. `left`: what stays of what it had. @throws Error that says which field is wrong */
export async function patchOf(
  start: FormStart,
  form: FormData,
  left: { readonly files: readonly KeptFile[]; readonly variables: Readonly<Record<string, string>>; readonly hidden: HiddenParts },
): Promise<SubmissionChange> {
  const before = new FormData();
  for (const [name, text] of Object.entries(start.texts)) before.set(name, text);
  if (start.opportunistic) before.set('opportunistic', 'on');
  const chosen = new Set(form.getAll('files').map((file) => (typeof file === 'string' ? '' : file.name)));
  const given = new Set(form.getAll('secret-name').map((name) => String(name).trim()));
  const keptOf = (files: readonly KeptFile[], variables: Readonly<Record<string, string>>, hidden: HiddenParts): KeptParts => ({
    files,
    variables: { ...variables, ...staying(hidden.variables) },
    secrets: staying(hidden.secrets.filter((name) => !given.has(name))),
    lacksPasswords: false,
  });
  const all = { variables: start.hiddenVariables, secrets: start.secrets };
  const filesBefore = start.files.map((file) => ({ ...file, content: stays }));
  const filesLeft = left.files.filter(({ name }) => !chosen.has(name));
  const old = named(await bodyOf(before, keptOf(filesBefore, start.otherVariables, all)), before);
  const body = named(await bodyOf(form, keptOf(filesLeft, left.variables, left.hidden)), form);
  const replaced = start.files.filter(({ name }) => chosen.has(name)).map(({ name }) => name);
  const patch = changesOf(old, withWholeFiles(body, replaced));
  if (JSON.stringify(patch).includes(takenOut)) throw new Error(`Passwords were taken out of it: write them where ${takenOut} stands.`);
  return { body, patch: isThere(patch) ? patch : undefined };
}

const staying = (names: readonly string[]): Record<string, Stays> => Object.fromEntries(names.map((name) => [name, stays]));

/** Without the name that it would get by itself. */
function named(body: SubmissionBody, form: FormData): SubmissionBody {
  const { 'application-name': _, ...unnamed } = body;
  return String(form.get('name') ?? '').trim() === '' ? unnamed : body;
}

/** What says the same as a file that was there before, member by member: a patch leaves what it does not name. */
const wholeFile = { text: null, uri: null, archive: null };

function withWholeFiles(body: SubmissionBody, names: readonly string[]): SubmissionBody {
  const files = Object.entries((body.run['files'] ?? {}) as Readonly<Record<string, object>>);
  if (names.length === 0) return body;
  return {
    ...body,
    run: {
      ...body.run,
      files: Object.fromEntries(files.map(([name, file]) => [name, names.includes(name) ? { ...wholeFile, ...file } : file])),
    },
  };
}

/** What may be tried of a body: what stays unseen is of no account for that. */
export function admissionBody(body: SubmissionBody): SubmissionBody {
  const { secrets: _, files: __, ...run } = body.run;
  const environment = Object.entries((run['environment'] ?? {}) as Readonly<Record<string, unknown>>);
  return { ...body, run: { ...run, environment: Object.fromEntries(environment.filter(([, value]) => typeof value === 'string')) } };
}
