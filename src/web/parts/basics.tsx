// Small parts of every page: states, times, meters, amounts that may be hidden, links.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../app/clock.ts';
import { percent } from '../format/amounts.ts';
import { type Kind, kindOf, outcomeOf, wordOf } from '../format/states.ts';
import { absolute, clockTime, duration, isoTime, relative } from '../format/times.ts';

/** Shapes tell states apart where colours do not. */
const shapes: Readonly<Record<Kind, ReactNode>> = {
  waiting: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.8" strokeDasharray="2.6 1.6" />,
  running: <path d="M3 1.500 10.500 6 3 10.500z" fill="currentColor" />,
  good: <path d="m1.800 6.400 2.800 2.900 5.600-6.400" fill="none" stroke="currentColor" strokeWidth="2" />,
  bad: <path d="m2 2 8 8M10 2 2 10" fill="none" stroke="currentColor" strokeWidth="2" />,
  stopped: <rect x="2" y="2" width="8" height="8" rx="1" fill="currentColor" />,
  warning: <path d="M6 1 11.300 10.800H.7z" fill="none" stroke="currentColor" strokeWidth="1.700" strokeLinejoin="round" />,
  unsure: <circle cx="6" cy="6" r="3" fill="currentColor" />,
};

/** A shape of a kind of state. */
export const Shape = ({ kind }: { readonly kind: Kind }) => (
  <svg className="shape" viewBox="0 0 12 12" aria-hidden="true">
    {shapes[kind]}
  </svg>
);

/** A state: shape, colour and word. */
export function Status({ state, word, kind = kindOf(state) }: { readonly state: string; readonly word?: string; readonly kind?: Kind }) {
  return (
    <span className={`status is-${kind}`} title={state}>
      <Shape kind={kind} />
      {word ?? wordOf(state)}
    </span>
  );
}

/** The state of an application, as far as one word says it: one whose master has a container is starting, not waiting. */
export function ApplicationStatus({
  state,
  finalStatus,
  hasMaster,
}: {
  readonly state: string;
  readonly finalStatus: string;
  readonly hasMaster: boolean;
}) {
  if (state === 'ACCEPTED' && hasMaster) return <Status state={state} word="starting" />;
  return <Status state={outcomeOf(state, finalStatus)} />;
}

/** A sentence of the server's descriptions: what stands between backquotes is code. */
export const Sentence = ({ text = '' }: { readonly text?: string | undefined }) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={`${index} ${part}`}>{part}</code>));

/** How long ago, with the whole time in its title. `0` and less: it has not happened. */
export function Ago({ ms, none = 'not yet' }: { readonly ms: number | undefined; readonly none?: string }) {
  const now = useNow();
  if (ms === undefined) return <Hidden />;
  if (ms <= 0) return <span className="quiet">{none}</span>;
  return (
    <time dateTime={isoTime(ms)} title={absolute(ms)}>
      {relative(ms, now)}
    </time>
  );
}

/** The time of a day, to the millisecond. */
export const ClockTime = ({ ms }: { readonly ms: number }) => (
  <time dateTime={isoTime(ms)} title={absolute(ms)}>
    {clockTime(ms)}
  </time>
);

/** A moment of this day by the clock, and how long ago it was: where the order within a second counts. */
export function Moment({ ms }: { readonly ms: number }) {
  return (
    <span className="span">
      <ClockTime ms={ms} />{' '}
      <span className="quiet">
        <Ago ms={ms} />
      </span>
    </span>
  );
}

/** How long something took, or has taken until now. */
export function Span({ from, to }: { readonly from: number | undefined; readonly to?: number | undefined }) {
  const now = useNow();
  if (from === undefined) return <Hidden />;
  if (from <= 0) return <span className="quiet">not begun</span>;
  const end = to !== undefined && to > 0 ? to : now;
  return (
    <span className="span" title={`${absolute(from)} – ${to !== undefined && to > 0 ? absolute(to) : 'now'}`}>
      {duration(end - from)}
    </span>
  );
}

/** What the caller may not see. */
export const Hidden = () => (
  <span className="quiet" title="Access lists are on, and you are on none that lets you view this.">
    hidden: you may not view this
  </span>
);

/** A value, or in words why there is none. `undefined`: hidden; below 0: not known. */
export function Amount({
  value,
  show,
  unknown = 'not known yet',
}: {
  readonly value: number | undefined;
  readonly show: (value: number) => string;
  readonly unknown?: string;
}) {
  if (value === undefined) return <Hidden />;
  return value < 0 ? <span className="quiet">{unknown}</span> : show(value);
}

/** How much of something is used, as a bar; `also`: a second part behind it, such as what is asked for; `isCalm`: to be full is good. */
export function Meter({
  share,
  also = 0,
  label,
  isCalm = false,
}: {
  readonly share: number;
  readonly also?: number;
  readonly label: string;
  readonly isCalm?: boolean;
}) {
  const width = (value: number) => `${Math.min(100, Math.max(0, value * 100))}%`;
  const level = isCalm ? '' : share >= 0.95 ? 'is-full' : share >= 0.8 ? 'is-high' : '';
  return (
    <span className={`meter ${level}`} role="img" aria-label={`${label}: ${percent(share)}`} title={`${label}: ${percent(share)}`}>
      {also > 0 && <i className="also" style={{ width: width(share + also) }} />}
      <i style={{ width: width(share) }} />
    </span>
  );
}

/** A link to an application. Its id is long: lists show its number. */
export function ApplicationLink({ id, short = false }: { readonly id: string; readonly short?: boolean }) {
  return (
    <Link to={`/applications/${id}`} className="id" title={id}>
      {short ? id.replace(/^application_/, '') : id}
    </Link>
  );
}

/** A button that copies a text. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  return (
    <button type="button" className="small ghost" onClick={() => void navigator.clipboard?.writeText(text)} title={`Copy ${text}`}>
      {label}
    </button>
  );
}

/** Names with their values. */
export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a page with a heading. */
export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <section className={`panel ${className}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The head of a page: its title, what belongs beside it, and what can be done. */
export function PageHead({
  title,
  beside,
  children,
}: {
  readonly title: ReactNode;
  readonly beside?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="page-head">
      <h1 title={typeof title === 'string' ? title : undefined}>{title}</h1>
      {beside}
      {children && <div className="actions">{children}</div>}
    </div>
  );
}

/** Words where there is nothing to show. */
export const Empty = ({ children }: { readonly children: ReactNode }) => <p className="empty">{children}</p>;
