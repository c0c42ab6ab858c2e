// Filters that a reader keeps under names, in this browser, and comes back to with one click.
import { useState } from 'react';
import type { Search } from '../app/address.ts';
import { keepFilter, keptFilters, removeFilter } from '../format/kept-filters.ts';
import './kept-filters.css';

const browser = () => localStorage;

export function KeptFilters({
  list,
  names,
  values,
  onChange,
}: {
  /** Which list they are of. */
  readonly list: string;
  /** The parameters that a filter is made of. */
  readonly names: readonly string[];
  readonly values: Search;
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void;
}) {
  const [kept, setKept] = useState(() => keptFilters(browser, list));
  const [isNaming, setNaming] = useState(false);
  const current = Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
  const isThis = (filter: Search): boolean => names.every((name) => filter[name] === values[name]);
  const isNew = Object.keys(current).length > 0 && !kept.some(({ filter }) => isThis(filter));
  if (kept.length === 0 && !isNew) return null;
  return (
    <div className="kept-filters">
      {kept.map(({ name, filter }) => (
        <span key={name}>
          <button
            type="button"
            className="small"
            aria-pressed={isThis(filter)}
            onClick={() => onChange(Object.fromEntries(names.map((each) => [each, filter[each]])))}
          >
            {name}
          </button>
          <button
            type="button"
            className="small ghost"
            aria-label={`Forget the filter ${name}`}
            title="Forget this filter"
            onClick={() => setKept(removeFilter(browser, list, name))}
          >
            ×
          </button>
        </span>
      ))}
      {isNew && !isNaming && (
        <button type="button" className="small ghost" onClick={() => setNaming(true)}>
          Keep this filter
        </button>
      )}
      {isNew && isNaming && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
            if (name === '') return;
            setKept(keepFilter(browser, list, { name, filter: current }));
            setNaming(false);
          }}
        >
          <input
            name="name"
            aria-label="Name of the filter"
            placeholder="Name of the filter"
            maxLength={40}
            required
            ref={(input) => input?.focus()}
          />
          <button type="submit" className="small">
            Keep
          </button>
        </form>
      )}
    </div>
  );
}
