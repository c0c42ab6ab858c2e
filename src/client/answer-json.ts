// JSON as servers of YARN's interface answer it: a float that is no number stands bare, as Jersey 1 writes it (`"capacity":NaN`, the share of a
// queue whose parent has nothing), which JSON does not have.

const textOrBare = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** How an answer is read. */
export interface AnswerReading {
  /** Whole numbers that would be rounded are bigints. */
  readonly isExact?: boolean;
}

/** The value of an answer; a number that is none is 0. @throws SyntaxError */
export function readAnswerJson(text: string, { isExact = false }: AnswerReading = {}): unknown {
  const parse = (json: string) => (isExact ? JSON.parse(json, exactly) : JSON.parse(json));
  try {
    return parse(text);
  } catch {
    return parse(text.replace(textOrBare, (found) => (found.startsWith('"') ? found : '0')));
  }
}

function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d{1,20}$/.test(source) ? BigInt(source) : value;
}
