// When a schedule is due: what is asked, and the next moments as the server computes them.
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { scheduleTimesQuery } from '../api/schedules.ts';
import { inZone } from '../format/times.ts';
import { Ago } from './basics.tsx';
import { Problem } from './problem.tsx';
import './schedule-fields.css';

const presets = [
  ['0 * * * *', 'every hour'],
  ['0 6 * * *', 'every day at 6:00'],
  ['0 6 * * 1-5', 'on weekdays at 6:00'],
  ['0 6 * * 1', 'every Monday at 6:00'],
  ['0 6 1 * *', 'on the first of each month at 6:00'],
] as const;

/** What is said where the run before is not over, and where nobody was there. */
export const overlapWords = {
  skip: 'leave this one out',
  queue: 'wait for the run before',
  allow: 'run beside it',
} as const;
export const missedWords = { one: 'one run for all that were missed', none: 'nothing is made up for' } as const;

/** Moments of a schedule, by its own clock. */
export const Moments = ({ times, timeZone }: { readonly times: readonly number[]; readonly timeZone: string }) => (
  <ol className="moments" aria-label="Next moments">
    {times.map((ms) => (
      <li key={ms}>
        {inZone(ms, timeZone)}{' '}
        <span className="quiet">
          <Ago ms={ms} />
        </span>
      </li>
    ))}
  </ol>
);

/** The fields `cron`, `timeZone`, `overlap` and `missed` of a form. */
export function ScheduleFields({ start }: { readonly start?: Pick<Schedule, 'cron' | 'timeZone' | 'overlap' | 'missed'> }) {
  const zones = useId();
  const [cron, setCron] = useState(start?.cron ?? '0 6 * * *');
  const [timeZone, setTimeZone] = useState(start?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const preset = presets.find(([expression]) => expression === cron.trim());
  return (
    <>
      <div className="row">
        <label>
          How often
          <select value={preset?.[0] ?? ''} onChange={({ target }) => target.value !== '' && setCron(target.value)}>
            {presets.map(([expression, words]) => (
              <option key={expression} value={expression}>
                {words}
              </option>
            ))}
            <option value="">as it is written</option>
          </select>
        </label>
        <label>
          Cron expression{' '}
          <input
            name="cron"
            required
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            value={cron}
            onChange={({ target }) => setCron(target.value)}
          />
        </label>
        <label>
          Time zone{' '}
          <input
            name="timeZone"
            required
            maxLength={64}
            spellCheck={false}
            autoComplete="off"
            list={zones}
            value={timeZone}
            onChange={({ target }) => setTimeZone(target.value)}
          />
          <datalist id={zones}>
            {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </label>
      </div>
      <div className="row">
        <label>
          If the run before is not over
          <select name="overlap" defaultValue={start?.overlap ?? 'skip'}>
            {Object.entries(overlapWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          If the cluster was away
          <select name="missed" defaultValue={start?.missed ?? 'one'}>
            {Object.entries(missedWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Upcoming cron={cron.trim()} timeZone={timeZone.trim()} />
    </>
  );
}

function Upcoming({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }) {
  const { data, error } = useQuery(scheduleTimesQuery(cron, timeZone));
  if (error) return <Problem error={error} />;
  return (
    <section aria-label="When it would be due" aria-live="polite">
      {!data ? (
        <p className="quiet">Minute, hour, day of the month, month, day of the week.</p>
      ) : data.fault === undefined ? (
        <>
          <p>It would be due:</p>
          <Moments times={data.next} timeZone={timeZone} />
        </>
      ) : (
        <p className="problem">It would never be due: {data.fault}.</p>
      )}
    </section>
  );
}

/** What the fields say. */
export const scheduleOf = (form: FormData) => {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  return { cron: text('cron'), timeZone: text('timeZone'), overlap: text('overlap'), missed: text('missed') };
};
