// Reservations of a plan on a time axis: when who gets how much, and what is reserved in all.

import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { change } from '../api/http.ts';
import { queuesQuery } from '../api/queues.ts';
import { reservationsQuery } from '../api/reservations.ts';
import { useAnswer } from '../api/use-answer.ts';
import { oneOf, useSearchState } from '../app/address.ts';
import { useNow } from '../app/clock.ts';
import { amountOf, counted, shareOf } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { type Queue, queuesOf, shareIn } from '../format/queue-tree.ts';
import { marksOf, placeOf, type Reservation, type Span, spanOf, stepsOf } from '../format/reservations.ts';
import { absolute, duration } from '../format/times.ts';
import { Ago, Empty, PageHead, Panel } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { Question } from '../parts/dialog.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import './reservations.css';

/** A queue that takes reservations has one below it for whatever runs without. */
const isPlan = (queue: Queue): boolean => queue.children.some(({ name }) => name === `${queue.name}-default`);
const windows = [
  ['', 'all'],
  ['6', '6 h'],
  ['24', '24 h'],
  ['168', '7 days'],
] as const;

export default function Reservations() {
  const { data: tree, error } = useAnswer(queuesQuery);
  const [search, setSearch] = useSearchState();
  if (error) return <FailedPage title="Reservations" error={error} />;
  if (!tree) return <Loading />;
  const hours = oneOf(search['hours'], ['', '6', '24', '168']);
  const plans = queuesOf(tree.root).filter(isPlan);
  const plan = plans.find(({ path }) => path === search['queue']) ?? plans[0];
  return (
    <>
      <PageHead title="Reservations">
        {plans.length > 1 && (
          <Choice
            label="Queue"
            value={plan?.path ?? ''}
            options={plans.map(({ path }) => [path, path])}
            onChange={(queue) => setSearch({ queue })}
          />
        )}
        <Choice label="Window" value={hours} options={windows} onChange={(next) => setSearch({ hours: next || undefined })} />
      </PageHead>
      {plan ? (
        <Plan plan={plan} hours={hours === '' ? undefined : Number(hours)} />
      ) : (
        <Empty>
          No queue takes reservations. A queue does with <code>yarn.scheduler.capacity.QUEUE.reservable=true</code> and{' '}
          <code>yarn.resourcemanager.reservation-system.enable=true</code>.
        </Empty>
      )}
    </>
  );
}

function Plan({ plan, hours }: { readonly plan: Queue; readonly hours: number | undefined }) {
  const { data: reservations, error, refetch } = useAnswer(reservationsQuery(plan.name));
  const nowMs = Math.floor(useNow() / 10_000) * 10_000;
  const [asked, setAsked] = useState<Reservation>();
  const client = useQueryClient();
  const span = useMemo(() => spanOf(reservations ?? [], nowMs, hours), [reservations, nowMs, hours]);
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!reservations) return <Loading />;
  const room = shareIn(plan, '')?.guaranteed['memory-mb'] ?? 0;
  const sorted = reservations.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const remove = async () => {
    await change('POST', 'ws/v1/cluster/reservation/delete', { 'reservation-id': asked?.id });
    await client.invalidateQueries({ queryKey: ['queues'] });
    return 'The reservation is given back.';
  };
  return (
    <Panel
      title={plan.path}
      aside={
        <span className="quiet">
          {counted(reservations.length, 'reservation')} · {amountOf('memory-mb', room)} can be reserved
        </span>
      }
    >
      {sorted.length === 0 ? (
        <Empty>
          Nothing is reserved. <code>heddle reservation submit {plan.path} --request containers=4,memory=2g,duration=1h --until 6h</code>{' '}
          reserves; programs do with <code>POST /ws/v1/cluster/reservation/submit</code>.
        </Empty>
      ) : (
        <div className="plan">
          <Total reservations={sorted} span={span} room={room} nowMs={nowMs} />
          {sorted.map((reservation) => (
            <Row key={reservation.id} {...{ reservation, span, room, nowMs }} onRemove={() => setAsked(reservation)} />
          ))}
        </div>
      )}
      {asked && (
        <Question
          title={
            <>
              Give back <bdi>{named(asked.name, asked.id)}</bdi>?
            </>
          }
          action="Give back"
          isDangerous
          run={remove}
          onClose={() => setAsked(undefined)}
        >
          <p>What runs in it goes on as what runs without a reservation, and may be preempted.</p>
        </Question>
      )}
    </Panel>
  );
}

const percent = (place: number): string => `${(place * 100).toFixed(3)}%`;

/** Marks of the time, and now. */
function Marks({ span, nowMs, isNamed = false }: { readonly span: Span; readonly nowMs: number; readonly isNamed?: boolean }) {
  const marks = marksOf(span, 8, -new Date(nowMs).getTimezoneOffset() * 60_000);
  const isLong = span.toMs - span.fromMs > 36 * 3_600_000;
  return (
    <>
      {marks.map((ms) => (
        <i key={ms} className="mark" style={{ left: percent(placeOf(ms, span)) }}>
          {isNamed && <small>{isLong ? absolute(ms).slice(5, 16) : absolute(ms).slice(11, 16)}</small>}
        </i>
      ))}
      <i className="now" style={{ left: percent(placeOf(nowMs, span)) }} />
    </>
  );
}

interface TotalProps {
  readonly reservations: readonly Reservation[];
  readonly span: Span;
  readonly room: number;
  readonly nowMs: number;
}

/** What is reserved in all over time, of what can be. */
function Total({ reservations, span, room, nowMs }: TotalProps) {
  const steps = stepsOf(reservations, 'memory-mb');
  const most = steps.reduce((high, { amount }) => Math.max(high, amount), 0);
  const top = Math.max(most, room, 1);
  return (
    <div className="plan-row total">
      <div className="plan-name">
        <b>In all</b>
        <span className="quiet">up to {amountOf('memory-mb', most)}</span>
      </div>
      <div
        className="plan-time"
        role="img"
        aria-label={`Reserved in all: up to ${amountOf('memory-mb', most)} of ${amountOf('memory-mb', room)}`}
      >
        <Marks span={span} nowMs={nowMs} isNamed />
        {steps.map(({ atMs, amount }, index) => {
          const [from, to] = [placeOf(atMs, span), placeOf(steps[index + 1]?.atMs ?? atMs, span)];
          if (amount <= 0 || to <= from) return null;
          return (
            <i
              key={atMs}
              className={amount > room ? 'held over' : 'held'}
              style={{ left: percent(from), width: percent(to - from), height: percent(amount / top) }}
              title={`${amountOf('memory-mb', amount)} from ${absolute(atMs)}`}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly reservation: Reservation;
  readonly span: Span;
  readonly room: number;
  readonly nowMs: number;
  readonly onRemove: () => void;
}

function Row({ reservation, span, room, nowMs, onRemove }: RowProps) {
  const { id, name, user, arrivalMs, deadlineMs, allocations, recurrence } = reservation;
  const [from, to] = [placeOf(arrivalMs, span), placeOf(deadlineMs, span)];
  const again = recurrence !== '' && recurrence !== '0';
  return (
    <div className="plan-row">
      <div className="plan-name">
        <span className="title" title={named(name, id)}>
          {named(name, id.replace(/^reservation_/, ''))}
        </span>
        <span className="quiet">
          {user} · <Ago ms={arrivalMs} />
          {again && ` · again every ${/^\d+$/.test(recurrence) ? duration(Number(recurrence)) : recurrence}`}
        </span>
        <button type="button" className="small ghost" onClick={onRemove}>
          Give back
        </button>
      </div>
      <div className="plan-time" role="img" aria-label={`${named(name, id)}: between ${absolute(arrivalMs)} and ${absolute(deadlineMs)}`}>
        <Marks span={span} nowMs={nowMs} />
        <i
          className="wanted"
          style={{ left: percent(from), width: percent(to - from) }}
          title={`wanted between ${absolute(arrivalMs)} and ${absolute(deadlineMs)}`}
        />
        {allocations.map(({ startMs, endMs, amounts }) => {
          const amount = amounts['memory-mb'] ?? 0;
          const [begin, end] = [placeOf(startMs, span), placeOf(endMs, span)];
          if (amount === 0 || end <= begin) return null;
          return (
            <i
              key={startMs}
              className="held"
              style={{ left: percent(begin), width: percent(end - begin), height: percent(Math.max(0.25, shareOf(amount, room))) }}
              title={`${amountOf('memory-mb', amount)}, ${amountOf('vcores', amounts['vcores'] ?? 0)} from ${absolute(startMs)} for ${duration(endMs - startMs)}`}
            />
          );
        })}
      </div>
    </div>
  );
}
