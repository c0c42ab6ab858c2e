// One question before several applications are killed or moved: what exactly will happen, how far it is, and what was refused and why.
import { type FormEvent, useRef, useState } from 'react';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { applicationPath } from '../api/application.ts';
import { change } from '../api/http.ts';
import { changeEach, type SeveralChanges } from '../api/several.ts';
import { count, counted } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { wordOf } from '../format/states.ts';
import { ApplicationLink } from './basics.tsx';
import { Dialog } from './dialog.tsx';

/** What is known of a chosen one when something is done with it. */
export type Chosen = Pick<PlainApplication, 'id' | 'name' | 'user' | 'queue' | 'state'>;

export type SeveralAction = 'kill' | 'move';

const words = {
  kill: { verb: 'Kill', under: 'killed', done: 'is being killed', many: 'are being killed' },
  move: { verb: 'Move', under: 'moved', done: 'was moved', many: 'were moved' },
} as const;
/** Names that stand in the question. */
const mostNamed = 20;

/** How many there are of each value: `2 running, 1 waiting`. */
function counts(chosen: readonly Chosen[], of: (one: Chosen) => string): string {
  const found = new Map<string, number>();
  for (const one of chosen) found.set(of(one), (found.get(of(one)) ?? 0) + 1);
  return [...found]
    .sort(([, a], [, b]) => b - a)
    .map(([value, number]) => `${count(number)} ${value}`)
    .join(', ');
}

/** `onClose` hears the ids of those that were changed. */
export function SeveralQuestion({
  action,
  chosen,
  onClose,
}: {
  readonly action: SeveralAction;
  readonly chosen: readonly Chosen[];
  readonly onClose: (done: readonly string[]) => void;
}) {
  // They are what they were when the question was asked, whatever the list shows meanwhile.
  const [asked] = useState(chosen);
  const [state, setState] = useState<SeveralChanges<Chosen>>();
  const [isOver, setOver] = useState(false);
  const isStopped = useRef(false);
  const { verb, under, done, many } = words[action];
  const all = counted(asked.length, 'application');
  const run = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const queue = String(new FormData(event.currentTarget).get('queue') ?? '').trim();
    const [part, body] = action === 'kill' ? (['state', { state: 'KILLED' }] as const) : (['queue', { queue }] as const);
    setState({ done: [], refused: [], left: asked });
    setState(
      await changeEach(asked, ({ id }) => change('PUT', `${applicationPath(id)}/${part}`, body), {
        tell: setState,
        isStopped: () => isStopped.current,
      }),
    );
    setOver(true);
  };
  const close = () => {
    isStopped.current = true;
    onClose((state?.done ?? []).map(({ id }) => id));
  };
  if (!state)
    return (
      <Dialog title={`${verb} ${all}?`} onClose={close}>
        <form className="several" onSubmit={(event) => void run(event)}>
          <p>
            {action === 'kill'
              ? 'All their containers are ended. What they have not written is lost; their logs stay. Those that have ended by then stay as they are.'
              : 'Each takes what it runs along, and counts against the new queue from then on.'}
          </p>
          <p className="quiet">
            {counts(asked, ({ state: each }) => wordOf(each))}; of {counts(asked, ({ user }) => user)}; in{' '}
            {counts(asked, ({ queue }) => queue)}.
          </p>
          <Names chosen={asked} />
          {action === 'move' && (
            <label>
              To the queue <input name="queue" required maxLength={500} />
            </label>
          )}
          <div className="actions">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" className={action === 'kill' ? 'danger' : 'primary'}>
              {verb} {all}
            </button>
          </div>
        </form>
      </Dialog>
    );
  const { done: changed, refused, left } = state;
  return (
    <Dialog title={isOver ? `${verb}: ${all}` : `${all}: being ${under}`} onClose={close}>
      <div className="several">
        {!isOver && (
          <progress value={asked.length - left.length} max={asked.length} aria-label={`${count(asked.length - left.length)} of ${all}`} />
        )}
        <p role="status">
          {counted(changed.length, 'application')} {changed.length === 1 ? done : many}
          {refused.length > 0 && `; ${count(refused.length)} refused`}
          {left.length > 0 && `; ${count(left.length)} ${isOver ? 'left as they were' : 'to come'}`}.
        </p>
        {refused.length > 0 && (
          <ul aria-label="Refused">
            {refused.map(({ item, reason }) => (
              <li key={item.id}>
                <ApplicationLink id={item.id} short /> <bdi>{named(item.name)}</bdi>: {reason}
              </li>
            ))}
          </ul>
        )}
        <div className="actions">
          {isOver ? (
            <button type="button" className="primary" onClick={close}>
              Close
            </button>
          ) : (
            <button type="button" onClick={() => (isStopped.current = true)}>
              Stop here
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

const Names = ({ chosen }: { readonly chosen: readonly Chosen[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
  <ul aria-label="Which" tabIndex={0}>
    {chosen.slice(0, mostNamed).map(({ id, name, user, queue }) => (
      <li key={id}>
        <bdi>{named(name, id)}</bdi>{' '}
        <span className="quiet">
          {user}, {queue}
        </span>
      </li>
    ))}
    {chosen.length > mostNamed && <li>and {count(chosen.length - mostNamed)} more</li>}
  </ul>
);
