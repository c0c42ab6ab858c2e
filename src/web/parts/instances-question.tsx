// How many instances a command that runs is to have: more are started, or those of the highest numbers ended.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WantedInstances } from '../../wire/cluster/command-job.ts';
import { instancesPath, runQuery } from '../api/application.ts';
import { change } from '../api/http.ts';
import { useAnswer } from '../api/use-answer.ts';
import { counted } from '../format/amounts.ts';
import { Dialog, Question } from './dialog.tsx';
import { Loading, Problem } from './problem.tsx';

/** Asks once it is known how many there are to be now. */
export function InstancesQuestion({
  id,
  shown,
  onClose,
}: {
  readonly id: string;
  readonly shown: ReactNode;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { data, error } = useAnswer(runQuery(id));
  const title = <>Instances of {shown}</>;
  if (data === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        {error ? <Problem error={error} /> : <Loading />}
      </Dialog>
    );
  const run = async (form: FormData): Promise<ReactNode> => {
    const answer = await change<WantedInstances>('PUT', instancesPath(id), { instances: Number(form.get('instances')) });
    await client.invalidateQueries({ queryKey: ['application', id] });
    return (
      <>
        {shown} is to have {counted(answer?.instances ?? 0, 'instance')}.
      </>
    );
  };
  return (
    <Question title={title} action="Change it" onClose={onClose} run={run}>
      <label>
        Instances <input name="instances" type="number" min={1} max={10_000} step={1} defaultValue={data.run.instances} required />
      </label>
      <p className="quiet">
        More are started as there is room. With fewer, those of the highest numbers are ended; what succeeded stays done.
      </p>
    </Question>
  );
}
