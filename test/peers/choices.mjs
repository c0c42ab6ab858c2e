/** A small generator of random choices that is the same in every run. */
export function choices(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (n) => Math.floor(next() * n);
  const pick = (list) => list[int(list.length)];
  const chance = (p) => next() < p;
  const some = (list, p) => list.filter(() => chance(p));
  const times = (n, f) => Array.from({ length: n }, (_, i) => f(i));
  return { next, int, pick, chance, some, times };
}
