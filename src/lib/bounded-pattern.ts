// Regular expressions that callers give: matched in a context of their own with a limit of time, so that no expression can hold a server.
// The limit counts the time that the thread really had: a busy machine makes no expression slow.
import { type Context, createContext, Script } from 'node:vm';

/** Longest expression and text that are taken, in characters. */
const maximumLength = 1000;
const matching = new Script('expression.test(text)');
const replacing = new Script('text.replace(expression, to)');

/** Whether texts match as a whole. */
export interface BoundedPattern {
  /** @throws PatternTooSlow when it takes longer than the limit. */
  matches(text: string): boolean;
}

/** Thrown when matching takes too long. */
export class PatternTooSlow extends Error {
  override readonly name = 'PatternTooSlow';
}

/** How long this thread has computed so far, in milliseconds. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * The expression that texts match as a whole. It has to be one by itself: `a)|(b` would otherwise end the brackets around it.
 * @throws SyntaxError
 */
export function wholeExpression(text: string, flags = ''): RegExp {
  new RegExp(text, flags);
  return new RegExp(`^(?:${text})$`, flags);
}

/** A pattern for whole texts. @throws SyntaxError for a text that is no expression or too long. */
export function boundedPattern(text: string, limitMs = 100, usedMs: () => number = computedMs): BoundedPattern {
  if (text.length > maximumLength) throw new SyntaxError('the expression is too long');
  const context = createContext({ expression: wholeExpression(text, 's'), text: '' });
  return {
    matches(candidate) {
      if (candidate.length > maximumLength) return false;
      context['text'] = candidate;
      return within(matching, context, limitMs, usedMs) as boolean;
    },
  };
}

/** Replaces what an expression finds. */
export interface BoundedReplacement {
  /** `to` is told what was found and its groups. Longer texts than are taken stay as they are. @throws PatternTooSlow */
  replace(text: string, to: (found: readonly unknown[]) => string): string;
}

/** A replacement of the first thing found, of all with the flag `g`. @throws SyntaxError for a text that is no expression or too long. */
export function boundedReplacement(text: string, flags: '' | 'g', limitMs = 100): BoundedReplacement {
  if (text.length > maximumLength) throw new SyntaxError('the expression is too long');
  const context = createContext({ expression: new RegExp(text, flags), text: '', to: undefined });
  return {
    replace(candidate, to) {
      if (candidate.length > maximumLength) return candidate;
      Object.assign(context, { text: candidate, to: (...found: unknown[]) => to(found) });
      return within(replacing, context, limitMs, computedMs) as string;
    },
  };
}

/** Runs a script, again with more time where the thread had little of it. @throws PatternTooSlow */
function within(script: Script, context: Context, limitMs: number, usedMs: () => number): unknown {
  for (let timeoutMs = limitMs; ; timeoutMs *= 2) {
    const beforeMs = usedMs();
    try {
      return script.runInContext(context, { timeout: timeoutMs });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      // Half of it is enough: the system counts in coarse steps.
      if (usedMs() - beforeMs >= limitMs / 2) throw new PatternTooSlow('matching takes too long');
    }
  }
}
