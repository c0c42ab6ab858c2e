// Submits a command to run in containers, in one call; with `again` it begins with what an application was submitted with.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { SubmittedApplication } from '../../wire/cluster/own-answers.ts';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import type { SubmittedContext } from '../../wire/cluster/submitted.ts';
import type { TriedSubmission } from '../../wire/cluster/tried-submission.ts';
import { submissionQuery } from '../api/application.ts';
import { useCaller } from '../api/frame.ts';
import { change, request } from '../api/http.ts';
import { scheduleAddress } from '../api/schedules.ts';
import { useSearchState } from '../app/address.ts';
import { counted, memory, vcores } from '../format/amounts.ts';
import { type FormStart, formStartOf } from '../format/submission.ts';
import { ApplicationLink, PageHead, Panel } from '../parts/basics.tsx';
import { note } from '../parts/dialog.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { ScheduleFields, scheduleOf } from '../parts/schedule-fields.tsx';
import { base64Of, bodyOf, type KeptFile } from '../parts/submission-body.ts';
import { type OfferedFile, SubmitFields, whyNotTaken } from '../parts/submit-form.tsx';
import { type Column, Table } from '../parts/table.tsx';
import './submit.css';

const path = 'api/v1/applications';

export default function Submit() {
  const [search] = useSearchState();
  const { again } = search;
  return again === undefined ? <SubmitForm title="Submit" /> : <Again key={again} id={again} />;
}

/** More than a submission takes is not asked for. */
const mostBytes = 7_000_000;

/** The files of a submission, those that came inline with what they hold; `isOwn`: they are the caller's. */
async function offeredFiles({ files }: FormStart, isOwn: boolean): Promise<readonly OfferedFile[]> {
  let room = mostBytes;
  const offered: OfferedFile[] = [];
  for (const { name, archive, address = '', bytes = 0, kept = false } of files) {
    const isStaged = address.startsWith('staging:');
    const why = !isOwn ? 'other' : !kept ? 'gone' : bytes > room ? 'long' : undefined;
    if (isStaged && why === undefined) room -= bytes;
    const content = !isStaged ? { uri: address } : (why ?? (await stagedContent(address, name)));
    offered.push({ name, archive, bytes, content });
  }
  return offered;
}

async function stagedContent(address: string, name: string): Promise<OfferedFile['content']> {
  try {
    const answer = await request(`api/v1/staging${address.slice('staging:'.length)}`, { accept: '*/*' });
    return { base64: await base64Of(await answer.blob(), name) };
  } catch {
    // It went in between.
    return 'gone';
  }
}

/** The form with what an application was submitted with. */
function Again({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const caller = useCaller();
  const { data, error } = useQuery({
    queryKey: ['submission', id, 'again'],
    queryFn: async () => {
      const submitted = await client.fetchQuery(submissionQuery(id));
      const start = formStartOf(submitted);
      return { submitted, start, files: start ? await offeredFiles(start, submitted.user === caller?.user) : [] };
    },
    enabled: caller !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  const { submitted, start, files } = data;
  return <SubmitForm title="Submit again" submitted={submitted} start={start} files={files} />;
}

function SubmitForm({
  title,
  submitted,
  start,
  files: given = [],
}: {
  readonly title: string;
  readonly submitted?: SubmittedContext;
  readonly start?: FormStart | undefined;
  readonly files?: readonly OfferedFile[];
}) {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [tried, setTried] = useState<TriedSubmission>();
  const [isSending, setSending] = useState(false);
  const [search, setSearch] = useSearchState();
  const isSchedule = search['when'] === 'again';
  const [files, setFiles] = useState(given);
  const [variables, setVariables] = useState(start?.otherVariables ?? {});
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isTrial = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'try';
    setSending(true);
    setError(undefined);
    setTried(undefined);
    try {
      const form = new FormData(event.currentTarget);
      const body = await bodyOf(form, { files: keptOf(files, form), variables, lacksPasswords: start?.lacksPasswords ?? false });
      if (isTrial) setTried(await change<TriedSubmission>('POST', `${path}?dryRun=true`, body));
      else if (isSchedule) {
        const { 'application-name': title, ...rest } = body;
        const submission = form.get('name') === '' ? rest : { ...rest, 'application-name': title };
        const asked = { name: String(form.get('schedule')).trim(), ...scheduleOf(form), submission };
        // What would be refused each time is told now.
        await change('POST', `${path}?dryRun=admission`, body);
        const made = await change<Schedule>('POST', 'api/v1/schedules', asked);
        note('The schedule is made.');
        if (made) void navigate({ to: scheduleAddress(made) });
        return;
      } else {
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
      <PageHead title={title} />
      {submitted && (
        <section className="notice" aria-label="What it begins with">
          <p>
            {start ? 'It begins with what ' : 'Nothing can be taken over from '}
            <ApplicationLink id={submitted.id} /> ({submitted.name})
            {start ? ' was submitted with.' : ': it was no command, or you may not see it.'}
          </p>
          {submitted.notes.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </section>
      )}
      <Panel title="Run a command in containers">
        <form className="form" onSubmit={(event) => void send(event)}>
          <fieldset className="when">
            <legend>When</legend>
            <label className="inline">
              <input type="radio" name="when" checked={!isSchedule} onChange={() => setSearch({ when: undefined })} /> now
            </label>
            <label className="inline">
              <input type="radio" name="when" checked={isSchedule} onChange={() => setSearch({ when: 'again' })} /> again and again
            </label>
          </fieldset>
          {isSchedule && (
            <>
              <label>
                Name of the schedule{' '}
                <input
                  name="schedule"
                  required
                  maxLength={64}
                  pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
                  title="Letters, digits, points, _ and -"
                />
              </label>
              <ScheduleFields />
            </>
          )}
          <SubmitFields start={start} offered={files} onFiles={setFiles} variables={variables} onVariables={setVariables} />
          {error !== undefined && <Problem error={error} />}
          <div className="inline">
            <button type="submit" className="primary" disabled={isSending}>
              {isSending ? 'Sending …' : isSchedule ? 'Make the schedule' : 'Submit'}
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

/** What goes along of the files that were offered: those that are chosen anew take their place. @throws Error naming what is missing */
function keptOf(files: readonly OfferedFile[], form: FormData): KeptFile[] {
  const chosen = new Set(form.getAll('files').map((file) => (typeof file === 'string' ? '' : file.name)));
  return files
    .filter(({ name }) => !chosen.has(name))
    .map(({ name, archive, content }) => {
      if (typeof content === 'string') throw new Error(`The file ${name} ${whyNotTaken[content]}. Choose it again, or remove it.`);
      return { name, archive, content };
    });
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
