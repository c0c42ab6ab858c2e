// Whole numbers that a caller of the own interface says in a query: refused is all that is not clearly one, within its bounds.
import { failure } from '../model/errors.ts';
import type { Query } from './query.ts';

export interface NumberBounds {
  /** What an absent parameter says. */
  readonly usual: number;
  /** The smallest; default 0. */
  readonly least?: number;
  /** The largest; default: what a number holds exactly. */
  readonly most?: number;
  /** What is counted, for the refusal, as `milliseconds`. */
  readonly unit?: string;
}

/** Zeros may stand before a number, though not without end. */
const mostPadded = 9;

/** A whole number that a parameter says; `usual` where it is absent. @throws Failure BAD_REQUEST where it is empty, no such number, or out of bounds */
export function readNumber(query: Query, name: string, { usual, least = 0, most = Number.MAX_SAFE_INTEGER, unit }: NumberBounds): number {
  const text = query.first(name);
  if (text === undefined) return usual;
  const [, sign = '', digits = ''] = /^(-?)(\d{1,16})$/.exec(text) ?? [];
  const number = Number(sign === '' ? digits : `-${digits}`) + 0;
  const isShort = digits !== '' && digits.length <= Math.max(mostPadded, String(most).length);
  if (isShort && (sign === '' || least < 0) && number >= least && number <= most) return number;
  const above = least === 0 ? ' from 0 on' : '';
  const range = most === Number.MAX_SAFE_INTEGER ? above : least === 0 ? ` up to ${most}` : ` from ${least} to ${most}`;
  throw failure('BAD_REQUEST', { reason: `${name} must be a whole number${unit === undefined ? '' : ` of ${unit}`}${range}` });
}

/** A count that a parameter says, from 1 to `most`; `usual` where it is absent or empty. @throws Failure BAD_REQUEST */
export const readCount = (query: Query, name: string, bounds: { readonly usual: number; readonly most: number }): number =>
  query.first(name) === '' ? bounds.usual : readNumber(query, name, { ...bounds, least: 1 });
