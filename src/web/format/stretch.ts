// A stretch of time that a page is narrowed to: how its address names it, and how keys make it smaller and larger. Pure.

/** A stretch of time, ms: from, and before. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A stretch as an address has it, `1000-2000`; undefined where it has none. */
export function stretchOf(text: string | undefined): Stretch | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  const stretch = { fromMs: Number(from), toMs: Number(to) };
  return stretch.toMs > stretch.fromMs ? stretch : undefined;
}
export const stretchText = ({ fromMs, toMs }: Stretch): string => `${fromMs}-${toMs}`;

/** What a chart of samples at `times`, ms, in their order, shows of a stretch: all of them (undefined) where fewer than two lie in it. */
export function shownStretch(times: readonly number[], stretch: Stretch | undefined): Stretch | undefined {
  if (!stretch) return undefined;
  const isIn = (time: number) => time >= stretch.fromMs && time <= stretch.toMs;
  const first = times.findIndex(isIn);
  return first >= 0 && first + 1 < times.length && isIn(times[first + 1]!) ? stretch : undefined;
}

/**
 * Where a key leads from what is shown: `+` to half of it around the moment `atMs`, `-` to twice of it, `0` to all (`'whole'`); undefined: the key
 * leads nowhere, as `-` does from all there is and `+` where two samples would no longer be in it.
 */
export function zoomedBy(key: string, times: readonly number[], stretch: Stretch | undefined, atMs: number): Stretch | 'whole' | undefined {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (key === '0') return stretch && 'whole';
  const shown = stretch ?? { fromMs: first, toMs: last };
  const span = shown.toMs - shown.fromMs;
  const of = (spanMs: number): Stretch => {
    const fromMs = Math.max(0, Math.floor(atMs - (spanMs * (atMs - shown.fromMs)) / span));
    return { fromMs, toMs: fromMs + Math.ceil(spanMs) };
  };
  if (key === '+' || key === '=') return span > 0 ? shownStretch(times, of(span / 2)) : undefined;
  if (key !== '-' || !stretch) return undefined;
  const wider = of(span * 2);
  return wider.fromMs <= first && wider.toMs >= last ? 'whole' : wider;
}
