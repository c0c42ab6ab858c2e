// Filter, order and place live in the address, so that a page can be sent to another reader.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type Search = Readonly<Record<string, string>>;

/** Every value is a text; nothing is guessed to be a number. */
export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** What an address names of the choices that there are; the first of them where it names none. */
export const oneOf = <Name extends string>(asked: string | undefined, choices: readonly [Name, ...Name[]]): Name =>
  choices.find((each) => each === asked) ?? choices[0];

/** The search of the address, and how a part of it is changed; empty values leave the address. */
export function useSearchState(): readonly [Search, (change: Readonly<Record<string, string | undefined>>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (change: Readonly<Record<string, string | undefined>>) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...change }) as never, replace: true }),
    [navigate],
  );
  return [search, set];
}
