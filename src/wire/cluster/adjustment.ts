// What the cluster gives otherwise than it was asked for: cut to a limit, or raised to what containers have.
import { fields, type JsonOf, number, text, word } from '../../lib/json-shape.ts';

export const adjustment = fields({
  /** Whose: each container of its kind, or the application. */
  of: word('application', 'master', 'instance'),
  /** `priority`, `lifetimeSeconds`, `attempts`, or a resource: `memoryMiB`, `vcores`, a registered type. */
  what: text(),
  asked: number(),
  given: number(),
  /** For people: both numbers, and by which limit or setting. */
  sentence: text(),
});
export type Adjustment = JsonOf<typeof adjustment>;
