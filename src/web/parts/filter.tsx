// The filter above a list. What is written takes effect when it is left or sent, or a moment after the last key.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { count } from '../format/amounts.ts';

/** A text that a list is filtered by; the one that `/` leads to is a search. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly isSearch?: boolean;
  /** A day, `2026-11-29`. */
  readonly isDay?: boolean;
}

/** What a filter is given. An option with `of` is one of that parameter instead of the choice's own. */
export interface FilterProps {
  readonly choices?: {
    readonly name: string;
    readonly label: string;
    readonly options: readonly (readonly [value: string, word: string, of?: string])[];
    /** How many each option has, by its word, where that is known. */
    readonly counts?: Readonly<Record<string, number>> | undefined;
  };
  /** What is chosen elsewhere, between the choices and the fields. */
  readonly facets?: { readonly names: readonly string[]; readonly shown: ReactNode };
  readonly fields: readonly FilterField[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void;
}

/** How long after the last key a list is asked for, ms. */
const pauseMs = 350;

export function Filter({ choices, facets, fields, values, onChange }: FilterProps) {
  const chosen = choices ? [...new Set([choices.name, ...choices.options.flatMap(([, , of]) => of ?? [])])] : [];
  const names = [...fields.map(({ name }) => name), ...chosen, ...(facets?.names ?? [])];
  const none = Object.fromEntries(chosen.map((name) => [name, undefined]));
  const isSet = names.some((name) => values[name] !== undefined);
  return (
    <search className="filter">
      {choices && (
        <fieldset className="choices">
          <legend className="unseen">{choices.label}</legend>
          {choices.options.map(([value, word, of = choices.name]) => (
            <button
              key={word}
              type="button"
              aria-pressed={chosen.every((name) => (values[name] ?? '') === (name === of ? value : ''))}
              onClick={() => onChange({ ...none, [of]: value || undefined })}
            >
              {word}
              {choices.counts?.[word] !== undefined && <small className="number"> {count(choices.counts[word])}</small>}
            </button>
          ))}
        </fieldset>
      )}
      {facets?.shown}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          {...field}
          value={values[field.name] ?? ''}
          onChange={(value) => onChange({ [field.name]: value || undefined })}
        />
      ))}
      {isSet && (
        <button type="button" className="ghost" onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])))}>
          Clear
        </button>
      )}
    </search>
  );
}

function FieldInput({
  name,
  label,
  isSearch,
  isDay,
  value,
  onChange,
}: FilterField & { readonly value: string; readonly onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() !== value) onChange(next.trim());
  };
  const input = (
    <input
      type={isSearch ? 'search' : isDay ? 'date' : 'text'}
      name={name}
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={200}
      onChange={(event) => {
        const next = event.target.value;
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(next), pauseMs);
      }}
      onBlur={() => apply(text)}
      onKeyDown={(event) => event.key === 'Enter' && apply(text)}
    />
  );
  // Days have no words of their own within the field.
  if (!isDay) return input;
  return (
    <span className="inline">
      <span aria-hidden="true">{label}</span>
      {input}
    </span>
  );
}
