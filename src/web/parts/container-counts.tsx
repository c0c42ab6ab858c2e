// How many containers of an application run, wait and ended: in a cell of a list, and as a bar with its words.
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { count } from '../format/amounts.ts';
import { containerCountsInWords, containerCountsOf } from '../format/container-counts.ts';
import { Hidden, Shape } from './basics.tsx';
import './container-counts.css';

/** Numbers behind the shapes of their kinds; the words are in its title. */
export function ContainerCounts({ application }: { readonly application: PlainApplication }) {
  const counts = containerCountsOf(application);
  if (!counts) return <Hidden />;
  if (counts.length === 0) return <span className="quiet">{application.endedContainers ? 'none' : 'not counted'}</span>;
  const words = containerCountsInWords(counts);
  return (
    <span className="container-counts" title={words} role="img" aria-label={words}>
      {counts.map(({ kind, number }) => (
        <span key={kind} className={`is-${kind}`}>
          <Shape kind={kind} />
          {count(number)}
        </span>
      ))}
    </span>
  );
}

/** All of them as one bar, each kind as wide as its part, with a legend. */
export function ContainerBar({ application }: { readonly application: PlainApplication }) {
  const counts = containerCountsOf(application) ?? [];
  if (counts.length === 0) return null;
  return (
    <div className="container-bar">
      <span className="parts" role="img" aria-label={`Containers: ${containerCountsInWords(counts)}`}>
        {counts.map(({ kind, number }) => (
          <i key={kind} className={`is-${kind}`} style={{ flexGrow: number }} />
        ))}
      </span>
      <span className="container-legend" aria-hidden="true">
        {counts.map(({ kind, number, word }) => (
          <span key={kind} className={`is-${kind}`}>
            <Shape kind={kind} /> <b>{count(number)}</b> {word}
          </span>
        ))}
      </span>
    </div>
  );
}
