// Submits a command to run in containers, in one call.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { SubmittedApplication } from '../../wire/cluster/own-answers.ts';
import type { TriedSubmission } from '../../wire/cluster/tried-submission.ts';
import { change } from '../api/http.ts';
import { counted, memory, vcores } from '../format/amounts.ts';
import { readSeconds } from '../format/times.ts';
import { PageHead, Panel } from '../parts/basics.tsx';
import { note } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { SecretFields } from '../parts/secret-fields.tsx';
import { type Column, Table } from '../parts/table.tsx';
import './submit.css';

/** `NAME=value` a line. */
function environmentOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  const pairs = lines
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1) throw new Error(`"${line}" is no variable: write NAME=value.`);
      return [line.slice(0, at), line.slice(at + 1)];
    });
  return Object.fromEntries(pairs);
}

/** What the chosen files hold. A browser sends an empty one where none is chosen. */
async function filesOf(form: FormData): Promise<Record<string, { readonly base64: string }>> {
  const chosen = form.getAll('files').filter((file): file is File => typeof file !== 'string' && file.name !== '');
  const read = (file: File) =>
    new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
      reader.onerror = () => reject(new Error(`${file.name} cannot be read: ${reader.error?.message}`));
      reader.readAsDataURL(file);
    });
  return Object.fromEntries(await Promise.all(chosen.map(async (file) => [file.name, { base64: await read(file) }] as const)));
}

/** Secrets by name. @throws Error where a name comes twice */
function secretsOf(form: FormData): Record<string, string> {
  const values = form.getAll('secret-value').map(String);
  const names = form.getAll('secret-name').map((name) => String(name).trim());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`There are two secrets ${twice}.`);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

const isThere = (named: object): boolean => Object.keys(named).length > 0;

/** The body of `POST /api/v1/applications`. @throws Error that says which field is wrong */
async function bodyOf(form: FormData): Promise<Record<string, unknown>> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lifetime = text('lifetime');
  const seconds = lifetime === '' ? undefined : readSeconds(lifetime);
  if (lifetime !== '' && seconds === undefined) throw new Error(`"${lifetime}" is no time: write 90 s, 30 min, 2 h or 1 d.`);
  const environment = environmentOf(text('environment'));
  const secrets = secretsOf(form);
  const files = await filesOf(form);
  const tags = text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    'application-name': text('name') || text('command').slice(0, 100),
    ...(text('queue') !== '' && { queue: text('queue') }),
    ...(tags.length > 0 && { 'application-tags': { tag: tags } }),
    ...(text('priority') !== '' && { priority: Number(text('priority')) }),
    ...(seconds !== undefined && { 'application-timeouts': { LIFETIME: seconds } }),
    run: {
      command: ['sh', '-c', text('command')],
      instances: Number(text('instances')),
      memoryMiB: Number(text('memory')),
      vcores: Number(text('vcores')),
      ...(isThere(environment) && { environment }),
      ...(isThere(files) && { files }),
      ...(isThere(secrets) && { secrets }),
      retries: Number(text('retries')),
    },
  };
}

const path = 'api/v1/applications';

export default function Submit() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [tried, setTried] = useState<TriedSubmission>();
  const [isSending, setSending] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isTrial = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'try';
    setSending(true);
    setError(undefined);
    setTried(undefined);
    try {
      const body = await bodyOf(new FormData(event.currentTarget));
      if (isTrial) setTried(await change<TriedSubmission>('POST', `${path}?dryRun=true`, body));
      else {
        const answer = await change<SubmittedApplication>('POST', path, body);
        note(['It is submitted.', ...(answer?.adjusted ?? []).map(({ sentence }) => sentence)].join(' '));
        if (answer) void navigate({ to: `/applications/${answer.id}` });
        return;
      }
    } catch (problem) {
      setError(problem);
    }
    setSending(false);
  };
  return (
    <>
      <PageHead title="Submit" />
      <Panel title="Run a command in containers">
        <form className="form" onSubmit={(event) => void send(event)}>
          <label>
            Command
            <textarea name="command" required maxLength={100_000} placeholder="python3 train.py --epochs 10" spellCheck={false} />
            <span>A line for sh. It finds its number in HEDDLE_INSTANCE, their count in HEDDLE_INSTANCES.</span>
          </label>
          <div className="row">
            <label>
              Instances <input name="instances" type="number" min={1} max={10_000} step={1} defaultValue={1} required />
            </label>
            <label>
              Memory of each, MiB <input name="memory" type="number" min={1} step={1} defaultValue={1024} required />
            </label>
            <label>
              Vcores of each <input name="vcores" type="number" min={1} step={1} defaultValue={1} required />
            </label>
            <label>
              Tries again <input name="retries" type="number" min={0} max={100} step={1} defaultValue={2} required />
            </label>
          </div>
          <div className="row">
            <label>
              Name <input name="name" maxLength={200} placeholder="the command" />
            </label>
            <label>
              Queue <input name="queue" maxLength={500} placeholder="by the mapping rules" />
            </label>
            <label>
              Tags <input name="tags" maxLength={500} placeholder="a, b" />
            </label>
          </div>
          <div className="row">
            <label>
              Priority <input name="priority" type="number" min={0} step={1} placeholder="0" />
            </label>
            <label>
              Lives at most <input name="lifetime" maxLength={20} placeholder="no limit; 2 h" />
            </label>
          </div>
          <label>
            Environment
            <textarea name="environment" placeholder="NAME=value" maxLength={100_000} spellCheck={false} />
            <span>A variable a line. Secrets do not belong here: who may view the application sees them.</span>
          </label>
          <label>
            Files <input name="files" type="file" multiple />
            <span>They lie in the working directory of each container, under their names: up to 7 MB together.</span>
          </label>
          <SecretFields />
          {error !== undefined && <Problem error={error} />}
          <div className="inline">
            <button type="submit" className="primary" disabled={isSending}>
              {isSending ? 'Sending …' : 'Submit'}
            </button>
            <button type="submit" value="try" disabled={isSending}>
              Try it
            </button>
            <span className="quiet">
              The same as <code>heddle run</code>, which takes archives and addresses as files, too.
            </span>
          </div>
        </form>
      </Panel>
      {tried && <Tried tried={tried} />}
    </>
  );
}

type Tries = TriedSubmission['containers'][number];

const columns: readonly Column<Tries>[] = [
  { id: 'role', title: 'What', cell: ({ role, count: all }) => (role === 'master' ? 'its master' : counted(all, 'instance')) },
  {
    id: 'size',
    title: 'Size of each',
    gives: 'first',
    cell: ({ resource: { memoryMiB = 0, vcores: cores = 0 } }) => `${memory(memoryMiB)}, ${vcores(cores)}`,
  },
  {
    id: 'nodes',
    title: 'Where',
    cell: ({ nodes }) =>
      nodes.map(({ nodeId, count: number }) => `${nodeId}${number > 1 ? ` (${number})` : ''}`).join(', ') || 'nowhere now',
  },
  {
    id: 'waiting',
    title: 'Would wait',
    cell: ({ refused, waiting, count: all, reasons: [first] }) =>
      refused ?? (waiting === 0 ? 'none' : `${waiting} of ${all}${first ? `: ${first.sentence}` : ''}`),
  },
];

/** What the submission would come to now; nothing was submitted. */
const Tried = ({ tried }: { readonly tried: TriedSubmission }) => (
  <Panel title="What it would come to now">
    <p>
      <b>{tried.sentence}</b> Nothing was submitted.
    </p>
    {tried.adjusted.map(({ sentence }) => (
      <p key={sentence}>{sentence}</p>
    ))}
    <Table label="Containers" columns={columns} rows={tried.containers} rowKey={({ role }) => role} empty="It would get no containers." />
  </Panel>
);
