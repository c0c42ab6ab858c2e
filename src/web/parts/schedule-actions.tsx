// What may be done to a schedule: each asks first, and goes by the call that programs use.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { change } from '../api/http.ts';
import { schedulePath, schedulesKey } from '../api/schedules.ts';
import { ApplicationLink, Status } from './basics.tsx';
import { Question } from './dialog.tsx';

/** The last part of its address, and the words for it. */
export const scheduleActions = {
  run: { title: 'Run now', text: 'It is submitted once more, now, whatever else of it runs.', done: 'It was submitted.' },
  pause: { title: 'Pause', text: 'Nothing is submitted until it is resumed. What runs goes on.', done: 'It is paused.' },
  resume: { title: 'Resume', text: 'It goes on from now; what was due meanwhile is not made up for.', done: 'It goes on.' },
  remove: { title: 'Remove', text: 'Nothing is submitted any more. What runs goes on.', done: 'It is removed.' },
} as const;
export type ScheduleAction = keyof typeof scheduleActions;

/** Kinds of what came of an occurrence. */
export const outcomeKinds = { submitted: 'good', waiting: 'waiting', skipped: 'stopped', missed: 'bad', refused: 'bad' } as const;

/** What came of an occurrence. */
export const Outcome = ({ outcome }: { readonly outcome: keyof typeof outcomeKinds }) => (
  <Status state={outcome} word={outcome} kind={outcomeKinds[outcome]} />
);

/** A question before something is done to a schedule; `onDone` hears when it was. */
export function ScheduleQuestion({
  schedule,
  action,
  title,
  onClose,
  onDone,
}: {
  readonly schedule: Schedule;
  readonly action: ScheduleAction;
  readonly title: string;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}) {
  const client = useQueryClient();
  const { user, name } = schedule;
  const words = scheduleActions[action];
  const act = async (): Promise<ReactNode> => {
    const path = schedulePath(user, name);
    let done: ReactNode = words.done;
    if (action === 'remove') await change('DELETE', path);
    else {
      const answer = await change<{ readonly applicationId?: string }>('POST', `${path}/${action}`);
      if (answer?.applicationId !== undefined)
        done = (
          <>
            {words.done} <ApplicationLink id={answer.applicationId} short />
          </>
        );
    }
    onDone?.();
    // One that was removed is not asked for again: its page goes; the lists are.
    const isAsked = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
      action !== 'remove' || typeof queryKey.at(-1) === 'boolean';
    await client.invalidateQueries({ queryKey: schedulesKey, predicate: isAsked });
    return done;
  };
  return (
    <Question
      title={
        <>
          {words.title}: <bdi>{title}</bdi>
        </>
      }
      action={words.title}
      isDangerous={action === 'remove'}
      onClose={onClose}
      run={act}
    >
      <p>{words.text}</p>
    </Question>
  );
}
