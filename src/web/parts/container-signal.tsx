// Stops or signals one container after a question that says what comes of it, by the call that `heddle container signal` makes.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplicationLife } from '../../wire/cluster/own-answers.ts';
import { change } from '../api/http.ts';
import { Question } from './dialog.tsx';
import './container-signal.css';

type ContainerSignal = 'GRACEFUL_SHUTDOWN' | 'FORCEFUL_SHUTDOWN' | 'OUTPUT_THREAD_DUMP';

/** What may be sent, and what comes of it. */
const choices: readonly {
  readonly signal: ContainerSignal;
  readonly title: string;
  readonly about: string;
  readonly action: string;
  /** What was done. */
  readonly done: string;
}[] = [
  {
    signal: 'GRACEFUL_SHUTDOWN',
    title: 'Ask it to end (TERM)',
    about: 'A program that takes care of it writes what it has and ends; one that does not ends at once, one that ignores it goes on.',
    action: 'Ask it to end',
    done: 'is asked to end',
  },
  {
    signal: 'FORCEFUL_SHUTDOWN',
    title: 'End it at once (KILL)',
    about: 'All its processes are ended; what they have not written is lost.',
    action: 'End it',
    done: 'is being ended',
  },
  {
    signal: 'OUTPUT_THREAD_DUMP',
    title: 'Have it tell what its threads do (QUIT)',
    about:
      'A Java program writes its threads to its log and goes on, and so do masters and tasks of Heddle with what they wait for; most other programs end by it.',
    action: 'Have it tell',
    done: 'is asked to write its threads to its log',
  },
];

/** What is said of one container. */
export interface SignalledContainer {
  readonly id: string;
  readonly isMaster: boolean;
}

/** The last parts of an id, which tell containers of one application apart. */
const shortId = (id: string): string => id.split('_').slice(-2).join('_');

/** The question. */
export function SignalQuestion({
  applicationId,
  container: { id, isMaster },
  onClose,
}: {
  readonly applicationId: string;
  readonly container: SignalledContainer;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState<ContainerSignal>('GRACEFUL_SHUTDOWN');
  const { action, done } = choices.find(({ signal }) => signal === wanted)!;
  const what = isMaster ? `master ${shortId(id)}` : `container ${shortId(id)}`;
  const run = async () => {
    await change('POST', `ws/v1/cluster/containers/${encodeURIComponent(id)}/signal/${wanted}`);
    await client.invalidateQueries({ queryKey: ['application', applicationId] });
    return `The ${what} ${done}.`;
  };
  return (
    <Question title={`Stop or signal ${what}`} action={action} isDangerous={wanted !== 'OUTPUT_THREAD_DUMP'} onClose={onClose} run={run}>
      <fieldset className="signals">
        <legend className="unseen">What it is sent</legend>
        {choices.map(({ signal, title, about }) => (
          <label key={signal}>
            <input type="radio" name="signal" value={signal} checked={wanted === signal} onChange={() => setWanted(signal)} />
            <span>
              <strong>{title}</strong>
              <br />
              {about}
            </span>
          </label>
        ))}
      </fieldset>
      <p>
        {isMaster
          ? 'It is the master: when it ends, the attempt has failed with all its containers, and the application is tried again as long as it has attempts left.'
          : 'When it ends, its master hears of it and may start another in its place.'}
      </p>
    </Question>
  );
}

/** The question about the container that the address names, as long as that lives: pages of nodes lead to it. */
export function AskedSignal({
  life,
  wanted,
  onClose,
}: {
  readonly life: ApplicationLife;
  readonly wanted: string | undefined;
  readonly onClose: () => void;
}) {
  const container = life.containers.find(({ id, finishedTime }) => id === wanted && finishedTime === 0);
  return container && <SignalQuestion key={container.id} applicationId={life.id} container={container} onClose={onClose} />;
}
