// What can be done about an application: each asks first, and goes by the call that programs use.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { applicationPath } from '../api/application.ts';
import { ApiFailure, change } from '../api/http.ts';
import { useNow } from '../app/clock.ts';
import { named } from '../format/names.ts';
import { readSeconds } from '../format/times.ts';
import { Question } from './dialog.tsx';
import { InstancesQuestion } from './instances-question.tsx';

export type ApplicationAction = 'kill' | 'move' | 'priority' | 'lifetime' | 'instances';

export function ApplicationActions({
  action,
  application,
  onClose,
}: {
  readonly action: ApplicationAction;
  readonly application: PlainApplication;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const now = useNow();
  const { id, name, queue, priority } = application;
  const path = applicationPath(id);
  const put = async (part: string, body: unknown, done: ReactNode): Promise<ReactNode> => {
    await change('PUT', `${path}/${part}`, body);
    await client.invalidateQueries({ queryKey: ['application', id] });
    return done;
  };
  const shown = <bdi>{named(name, id)}</bdi>;
  switch (action) {
    case 'kill':
      return (
        <Question
          title={<>Kill {shown}?</>}
          action="Kill it"
          isDangerous
          onClose={onClose}
          run={() => put('state', { state: 'KILLED' }, <>{shown} is being killed.</>)}
        >
          <p>All its containers are ended. What they have not written is lost; their logs stay.</p>
        </Question>
      );
    case 'move':
      return (
        <Question
          title={<>Move {shown}</>}
          action="Move it"
          onClose={onClose}
          run={(form) =>
            put(
              'queue',
              { queue: String(form.get('queue')) },
              <>
                {shown} is in <bdi>{String(form.get('queue'))}</bdi> now.
              </>,
            )
          }
        >
          <label>
            Queue <input name="queue" defaultValue={queue} required maxLength={500} />
          </label>
          <p className="quiet">It takes what it runs along, and counts against the new queue from then on.</p>
        </Question>
      );
    case 'priority':
      return (
        <Question
          title={<>Priority of {shown}</>}
          action="Change it"
          onClose={onClose}
          run={(form) =>
            put(
              'priority',
              { priority: Number(form.get('priority')) },
              <>
                {shown} has the priority {String(form.get('priority'))} now.
              </>,
            )
          }
        >
          <label>
            Priority <input name="priority" type="number" min={0} max={2147483647} step={1} defaultValue={Math.max(0, priority)} required />
          </label>
          <p className="quiet">Higher goes first among the applications of its queue. The queue and the cluster have a highest one.</p>
        </Question>
      );
    case 'instances':
      return <InstancesQuestion id={id} shown={shown} onClose={onClose} />;
    case 'lifetime':
      return (
        <Question
          title={<>Lifetime of {shown}</>}
          action="Change it"
          onClose={onClose}
          run={(form) => lifetime(String(form.get('lifetime')), now, put, shown)}
        >
          <label>
            From now <input name="lifetime" placeholder="2 h" required maxLength={20} />
          </label>
          <p className="quiet">Such as 90 s, 30 min, 2 h, 1 d. It is killed when the time is over.</p>
        </Question>
      );
  }
}

function lifetime(
  text: string,
  nowMs: number,
  put: (part: string, body: unknown, done: ReactNode) => Promise<ReactNode>,
  shown: ReactNode,
): Promise<ReactNode> {
  const seconds = readSeconds(text);
  if (seconds === undefined) throw new ApiFailure(400, '', `"${text}" is no time: write 90 s, 30 min, 2 h or 1 d.`);
  const expiryTime = new Date(nowMs + seconds * 1000).toISOString().replace('Z', '+0000');
  return put(
    'timeout',
    { timeout: { type: 'LIFETIME', expiryTime } },
    <>
      {shown} lives {text} more at most.
    </>,
  );
}
