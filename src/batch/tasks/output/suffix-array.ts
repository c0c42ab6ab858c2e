// The order of all rotations of a text, which bzip2 sorts a block by. Rotations of a text that begins with its least one are ordered as its
// suffixes are, and suffixes are sorted by induction in linear time (Nong, Zhang, Chan: SA-IS, 2009).

/** Where the least rotation begins (Booth, by two candidates that run into each other). */
export function leastRotation(text: Uint8Array, length: number): number {
  let [one, other, equal] = [0, 1, 0];
  while (one < length && other < length && equal < length) {
    let left = one + equal;
    if (left >= length) left -= length;
    let right = other + equal;
    if (right >= length) right -= length;
    const order = text[left]! - text[right]!;
    if (order === 0) {
      equal++;
      continue;
    }
    if (order > 0) one += equal + 1;
    else other += equal + 1;
    if (one === other) other++;
    equal = 0;
  }
  return Math.min(one, other);
}

type Text = Uint8Array | Int32Array;

/** Where the suffixes with each first letter begin (`ends` false) or end. */
function bucketBounds(counts: Int32Array, bounds: Int32Array, ends: boolean): void {
  let sum = 0;
  for (let letter = 0; letter < counts.length; letter++) {
    sum += counts[letter]!;
    bounds[letter] = ends ? sum : sum - counts[letter]!;
  }
}

/** One text with what sorting it needs. `smaller[i]`: the suffix at i is less than the one behind it; the end is less than every letter. */
interface Sorting {
  readonly text: Text;
  readonly length: number;
  readonly smaller: Uint8Array;
  readonly counts: Int32Array;
  readonly bounds: Int32Array;
  /** Filled with the sorted places; −1: none yet. */
  readonly sorted: Int32Array;
}

/** Brings all suffixes in order by those that are there: first the ones greater than their followers, then the others. */
function induce({ text, length, smaller, counts, bounds, sorted }: Sorting): void {
  bucketBounds(counts, bounds, false);
  const last = length - 1;
  sorted[bounds[text[last]!]!++] = last;
  for (let i = 0; i < length; i++) {
    const place = sorted[i]! - 1;
    if (place >= 0 && smaller[place] === 0) sorted[bounds[text[place]!]!++] = place;
  }
  bucketBounds(counts, bounds, true);
  for (let i = length - 1; i >= 0; i--) {
    const place = sorted[i]! - 1;
    if (place >= 0 && smaller[place] === 1) sorted[--bounds[text[place]!]!] = place;
  }
}

/** Whether a suffix is less than both neighbours: between two such lies a piece that is sorted as one letter. */
const isValley = (smaller: Uint8Array, place: number) => place > 0 && smaller[place] === 1 && smaller[place - 1] === 0;

/** Whether the pieces that begin at two valleys have the same letters and end alike. */
function samePiece({ text, length, smaller }: Sorting, one: number, other: number): boolean {
  for (let i = 0; ; i++) {
    const [left, right] = [one + i, other + i];
    if (left >= length || right >= length) return false;
    if (text[left] !== text[right] || smaller[left] !== smaller[right]) return false;
    if (i > 0 && isValley(smaller, left)) return isValley(smaller, right);
  }
}

/** Numbers the pieces by their order, into `names` by half their place; answers how many different ones there are. */
function namePieces(sorting: Sorting, valleys: number): number {
  const { sorted, length } = sorting;
  const names = sorted.subarray(valleys).fill(-1);
  let name = -1;
  let before = -1;
  for (let i = 0; i < valleys; i++) {
    const place = sorted[i]!;
    if (before < 0 || !samePiece(sorting, before, place)) name++;
    before = place;
    names[place >> 1] = name;
  }
  let at = length;
  for (let i = names.length - 1; i >= 0; i--) if (names[i]! >= 0) sorted[--at] = names[i]!;
  return name + 1;
}

/** Sorts the suffixes of `text`, letters 0 to `letters` − 1, into `sorted`, as long as the text. */
function sortInto(sorted: Int32Array, text: Text, length: number, letters: number): void {
  if (length <= 1) {
    sorted.fill(0);
    return;
  }
  const smaller = new Uint8Array(length);
  const counts = new Int32Array(letters);
  for (let i = 0; i < length; i++) counts[text[i]!]!++;
  for (let i = length - 2; i >= 0; i--) smaller[i] = text[i]! < text[i + 1]! || (text[i] === text[i + 1] && smaller[i + 1] === 1) ? 1 : 0;
  const sorting: Sorting = { text, length, smaller, counts, bounds: new Int32Array(letters), sorted };
  const { bounds } = sorting;

  sorted.fill(-1);
  bucketBounds(counts, bounds, true);
  for (let i = length - 1; i > 0; i--) if (isValley(smaller, i)) sorted[--bounds[text[i]!]!] = i;
  induce(sorting);

  let valleys = 0;
  for (let i = 0; i < length; i++) if (isValley(smaller, sorted[i]!)) sorted[valleys++] = sorted[i]!;
  const names = namePieces(sorting, valleys);
  const inner = sorted.subarray(0, valleys);
  const shorter = sorted.subarray(length - valleys);
  if (names < valleys) sortInto(inner, shorter.slice(), valleys, names);
  else for (let i = 0; i < valleys; i++) inner[shorter[i]!] = i;

  for (let i = length - 1, at = valleys; i > 0; i--) if (isValley(smaller, i)) shorter[--at] = i;
  for (let i = 0; i < valleys; i++) inner[i] = shorter[inner[i]!]!;
  sorted.fill(-1, valleys);
  bucketBounds(counts, bounds, true);
  for (let i = valleys - 1; i >= 0; i--) {
    const place = sorted[i]!;
    sorted[i] = -1;
    sorted[--bounds[text[place]!]!] = place;
  }
  induce(sorting);
}

/** The places of the suffixes of a text in their order; the end counts as less than every byte. */
export function suffixArray(text: Uint8Array): Int32Array {
  const sorted = new Int32Array(text.length);
  if (text.length > 0) sortInto(sorted, text, text.length, 256);
  return sorted;
}
