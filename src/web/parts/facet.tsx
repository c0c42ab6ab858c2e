// One kind of what a list is filtered by: a button that says what is chosen, and opens what there is to choose from, with how many each choice has.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { count } from '../format/amounts.ts';
import './facet.css';

/** A choice; `count` undefined: not known. */
export interface FacetValue {
  readonly name: string;
  readonly word?: string;
  readonly count: number | undefined;
}

export function Facet({
  label,
  chosen,
  values,
  more = 0,
  onChange,
}: {
  readonly label: string;
  /** Undefined: everything. */
  readonly chosen: string | undefined;
  readonly values: readonly FacetValue[];
  /** How many further ones there are, which have to be written. */
  readonly more?: number;
  readonly onChange: (name: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ target }: Event) => {
      if (!(target instanceof Node && whole.current?.contains(target))) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, [isOpen]);
  const choose = (name: string | undefined) => {
    setOpen(false);
    button.current?.focus();
    onChange(name);
  };
  const word = values.find(({ name }) => name === chosen)?.word ?? chosen;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from wherever the focus is in it
    <div
      className="facet"
      ref={whole}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        ref={button}
        className={chosen === undefined ? '' : 'is-set'}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        {word !== undefined && (
          <>
            : <bdi>{word}</bdi>
          </>
        )}{' '}
        <span aria-hidden="true">▾</span>
      </button>
      {isOpen && <Choices label={label} chosen={chosen} values={values} more={more} onChoose={choose} />}
    </div>
  );
}

/** More choices than this can be searched. */
const mostWithoutSearch = 8;

function Choices({
  label,
  chosen,
  values,
  more,
  onChoose,
}: {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly values: readonly FacetValue[];
  readonly more: number;
  readonly onChoose: (name: string | undefined) => void;
}) {
  const [text, setText] = useState('');
  const window = useRef<HTMLDivElement>(null);
  useEffect(() => window.current?.querySelector<HTMLElement>('input, button')?.focus(), []);
  const wanted = text.trim().toLowerCase();
  const shown = values.filter(({ name, word = name }) => word.toLowerCase().includes(wanted));
  const most = Math.max(1, ...values.map((each) => each.count ?? 0));
  return (
    <div className="facet-window" role="dialog" aria-label={label} ref={window}>
      {(values.length > mostWithoutSearch || more > 0) && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // One that is not among those shown is taken as it is written.
            const name = shown.length === 1 ? shown[0]!.name : text.trim();
            if (name !== '') onChoose(name);
          }}
        >
          <input
            type="text"
            aria-label={`${label} …`}
            placeholder={`${label} …`}
            maxLength={200}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </form>
      )}
      <ul>
        {shown.map(({ name, word = name, count: number }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === chosen}
              onClick={() => onChoose(name === chosen ? undefined : name)}
              title={name === chosen ? 'Take this choice back' : word}
            >
              <bdi>{word}</bdi>
              {number !== undefined && <span className="number">{count(number)}</span>}
              {number !== undefined && <i aria-hidden="true" style={{ width: `${(100 * number) / most}%` }} />}
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="quiet">{values.length === 0 ? 'There is nothing to choose from.' : 'Enter takes it as it is written.'}</p>
      )}
      {more > 0 && <p className="quiet">and {count(more)} more: write the name</p>}
      {chosen !== undefined && (
        <button type="button" className="small ghost" onClick={() => onChoose(undefined)}>
          Any
        </button>
      )}
    </div>
  );
}
