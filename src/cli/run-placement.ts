// Where the containers of `heddle run` may stand: short words for the usual wishes, YARN's constraint language for the rest.

import { ConstraintMalformed, constraintText, parseConstraint } from '../model/placement-constraint.ts';
import type { CommandJob } from '../wire/cluster/command-job.ts';
import { CommandFailure } from './failure.ts';

const defaultTag = 'run';

/** One `--constraint` in the language. @throws ConstraintMalformed */
function expressionOf(text: string, tag: string): string {
  const [word = '', scope = 'node'] = text.split(':');
  if (word === 'anti-affinity') return `notin,${scope},${tag}`;
  if (word === 'affinity') return `in,${scope},${tag}`;
  const most = /^max-per-(node|rack):([1-9]\d{0,5})$/.exec(text);
  // The language counts those who are there before the next one comes.
  if (most) return `cardinality,${most[1]},${tag},0,${Number(most[2]) - 1}`;
  return text;
}

/** Tags and constraints of a job; all constraints must hold. @throws CommandFailure for text that is no constraint */
export function readPlacement(tags: readonly string[] = [], constraints: readonly string[] = []): Pick<CommandJob, 'placement'> {
  for (const tag of tags)
    if (!/^[\w.-]{1,256}$/.test(tag)) throw new CommandFailure(`--tag ${tag}: a tag has letters, digits, dots, _ and - only`, undefined, 2);
  if (tags.length === 0 && constraints.length === 0) return {};
  const own = tags.length > 0 ? tags : [defaultTag];
  const expressions = constraints.map((text) => {
    try {
      return constraintText(parseConstraint(expressionOf(text, own[0]!)));
    } catch (error) {
      if (!(error instanceof ConstraintMalformed)) throw error;
      throw new CommandFailure(
        `--constraint ${text}: ${error.message}`,
        'Write anti-affinity, affinity:rack, max-per-node:2, notin,node,TAG or NAME=VALUE.',
        2,
      );
    }
  });
  const constraint = expressions.length > 1 ? `and(${expressions.join(':')})` : expressions[0];
  return { placement: { tags: own, constraint } };
}
