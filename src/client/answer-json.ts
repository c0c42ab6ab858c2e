// JSON as servers of YARN's interface answer it: a float that is no number stands bare, as Jersey 1 writes it (`"capacity":NaN`, the share of a
// queue whose parent has nothing), which JSON does not have.

const textOrBare = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** The value of an answer; a number that is none is 0. @throws SyntaxError */
export function readAnswerJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replace(textOrBare, (found) => (found.startsWith('"') ? found : '0')));
  }
}
