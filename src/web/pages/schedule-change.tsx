// Changes a schedule: when it is due, and what it runs. Of what it runs the server is told what changes, so that what nobody is shown stays.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { ScheduleDetail } from '../../wire/cluster/schedules.ts';
import { useCaller } from '../api/frame.ts';
import { change } from '../api/http.ts';
import { scheduleAddress, scheduleQuery, schedulesKey } from '../api/schedules.ts';
import { useAnswer } from '../api/use-answer.ts';
import { scheduleFormStart } from '../format/schedule-change.ts';
import { PageHead, Panel } from '../parts/basics.tsx';
import { note } from '../parts/dialog.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { ScheduleFields, scheduleOf } from '../parts/schedule-fields.tsx';
import { stays } from '../parts/submission-body.ts';
import { admissionBody, type HiddenParts, patchOf } from '../parts/submission-patch.ts';
import { SubmitFields } from '../parts/submit-form.tsx';
import './submit.css';

const list = { to: '/schedules', title: 'All schedules' };

export default function ScheduleChangePage() {
  const { user = '', schedule: name = '' } = useParams({ strict: false }) as { readonly user?: string; readonly schedule?: string };
  const caller = useCaller();
  const { data: schedule, error, refetch } = useAnswer(scheduleQuery(user, name));
  // What was written stays when the schedule is asked for again.
  const [begun, setBegun] = useState<ScheduleDetail>();
  if (schedule && !begun) setBegun(schedule);
  if (error) return <FailedPage title={name} error={error} retry={() => void refetch()} list={list} />;
  if (!begun || !caller) return <Loading />;
  if (caller.user === user) return <ChangeForm schedule={begun} />;
  return (
    <>
      <PageHead title={name} />
      <p>
        It is {user}’s: it runs in their name, and nobody else says what. <Link to={scheduleAddress(begun)}>Back to it</Link>
      </p>
    </>
  );
}

function ChangeForm({ schedule }: { readonly schedule: ScheduleDetail }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { name, paused, submits } = schedule;
  const [start] = useState(() => scheduleFormStart(submits));
  const all: HiddenParts = { variables: start?.hiddenVariables ?? [], secrets: start?.secrets ?? [] };
  const [files, setFiles] = useState(() => (start?.files ?? []).map((file) => ({ bytes: undefined, ...file, content: stays })));
  const [variables, setVariables] = useState(start?.otherVariables ?? {});
  const [hidden, setHidden] = useState(all);
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setSending(true);
    setError(undefined);
    try {
      const asked = { name, ...scheduleOf(form), paused, replace: true };
      const { patch, body } = start ? await patchOf(start, form, { files, variables, hidden }) : {};
      // What would be refused each time is told now.
      if (body && patch) await change('POST', 'api/v1/applications?dryRun=admission', admissionBody(body));
      await change('POST', 'api/v1/schedules', { ...asked, ...(patch && { submissionPatch: patch }) });
      await client.invalidateQueries({ queryKey: schedulesKey });
      note('The schedule is changed.');
      void navigate({ to: scheduleAddress(schedule) });
    } catch (problem) {
      setError(problem);
      setSending(false);
    }
  };
  return (
    <>
      <PageHead title={`Change ${name}`} />
      <form className="schedule-change" onSubmit={(event) => void send(event)}>
        <Panel title="When">
          <div className="form">
            <ScheduleFields start={schedule} />
          </div>
        </Panel>
        <Panel title="What it runs">
          {start ? (
            <div className="form">
              <SubmitFields
                start={{ ...start, hiddenVariables: [], secrets: [] }}
                offered={files}
                onFiles={(left) => setFiles(files.filter((file) => left.some((each) => each.name === file.name)))}
                {...{ variables, onVariables: setVariables, hidden, onHidden: setHidden }}
              />
            </div>
          ) : (
            <p className="quiet">
              It was not made by a form or a run file: replace it by the way it was made. Its times can be changed here.
            </p>
          )}
        </Panel>
        {error !== undefined && <Problem error={error} />}
        <div className="inline">
          <button type="submit" className="primary" disabled={isSending}>
            {isSending ? 'Changing …' : 'Change'}
          </button>
          <Link className="button" to={scheduleAddress(schedule)}>
            Cancel
          </Link>
        </div>
      </form>
    </>
  );
}
