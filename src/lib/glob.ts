/**
 * Whether a text matches a pattern in which `*` stands for any letters and `?` for one. Patterns come from callers: after a mismatch only
 * the last `*` takes one letter more, so that none needs more than the product of both lengths in steps.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, inText, star, behindStar] = [0, 0, -1, 0];
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      behindStar = inText;
    } else if (pattern[at] === '?' || pattern[at] === text[inText]) {
      at++;
      inText++;
    } else if (star >= 0) {
      at = star + 1;
      inText = ++behindStar;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
