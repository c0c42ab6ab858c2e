// The input of one map, as the staging folder keeps it and as the task is told it.
import { fields, type JsonOf, many, optional, text, whole } from '../../../lib/json-shape.ts';

const place = { path: text(), start: whole(), length: whole() };

/**
 * A piece of a file (or, with an empty path, a piece of no file at all). Start and length are bytes. One of several pieces has them all as
 * `parts`; its length is theirs together.
 */
export const inputSplit = fields({ ...place, hosts: many(text()), parts: optional(many(fields(place))) });
export type InputSplit = JsonOf<typeof inputSplit>;
