// The input of one map, as the staging folder keeps it and as the task is told it.
import { fields, type JsonOf, many, text, whole } from '../../../lib/json-shape.ts';

/** A piece of a file (or, with an empty path, a piece of no file at all). Start and length are bytes. */
export const inputSplit = fields({ path: text(), start: whole(), length: whole(), hosts: many(text()) });
export type InputSplit = JsonOf<typeof inputSplit>;
