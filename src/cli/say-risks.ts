import type { Configuration } from '../config/load.ts';
import { risksOf } from '../config/risks.ts';
import { printNote } from './output.ts';

/** Says on standard error what is unsafe about this start, a line for each. */
export function sayRisks(roles: readonly string[], configuration: Configuration): void {
  for (const { what, remedy } of risksOf(roles, configuration)) printNote(`heddle: WARNING: ${what}. ${remedy}\n`);
}
