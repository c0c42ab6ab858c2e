// Regular expressions that callers give: matched in a context of their own with a limit of time, so that no expression can hold a server.
import { createContext, Script } from 'node:vm';

/** Longest expression and text that are taken, in characters. */
const maximumLength = 1000;
const matching = new Script('expression.test(text)');

/** Whether texts match as a whole. */
export interface BoundedPattern {
  /** @throws PatternTooSlow when it takes longer than the limit. */
  matches(text: string): boolean;
}

/** Thrown when matching takes too long. */
export class PatternTooSlow extends Error {
  override readonly name = 'PatternTooSlow';
}

/** A pattern for whole texts. @throws SyntaxError for a text that is no expression or too long. */
export function boundedPattern(text: string, limitMs = 100): BoundedPattern {
  if (text.length > maximumLength) throw new SyntaxError('the expression is too long');
  const context = createContext({ expression: new RegExp(`^(?:${text})$`, 's'), text: '' });
  return {
    matches(candidate) {
      if (candidate.length > maximumLength) return false;
      context['text'] = candidate;
      try {
        return matching.runInContext(context, { timeout: limitMs }) as boolean;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new PatternTooSlow('matching takes too long');
        throw error;
      }
    },
  };
}
