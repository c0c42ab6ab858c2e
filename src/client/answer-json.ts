// JSON as servers of YARN's interface answer it: a float that is no number stands bare, as Jersey 1 writes it (`"capacity":NaN`, the share of a
// queue whose parent has nothing), which JSON does not have; and the entries of a map are members of one name (`"resourceSecondsMap":{"entry":…,"entry":…}`),
// of which JSON.parse keeps the last.

const textOrBare = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** How an answer is read. */
export interface AnswerReading {
  /** Whole numbers that would be rounded are bigints. */
  readonly isExact?: boolean;
}

/** Entries of one map, one behind the other. The quotes of such a text within a string are escaped, so that it is never found there. */
const entriesOfOneName = /"entry":(\{[^{}]*\}(?:,"entry":\{[^{}]*\})+)/g;
const entriesAsList = (_all: string, entries: string): string => `"entry":[${entries.replaceAll('},"entry":{', '},{')}]`;

/** The value of an answer; a number that is none is 0, several entries of a map are a list. @throws SyntaxError */
export function readAnswerJson(text: string, { isExact = false }: AnswerReading = {}): unknown {
  const parse = (written: string) => {
    const json = written.includes('},"entry":{') ? written.replace(entriesOfOneName, entriesAsList) : written;
    return isExact ? JSON.parse(json, exactly) : JSON.parse(json);
  };
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
