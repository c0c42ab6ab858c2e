// Units of resource amounts (UnitsConversionUtil): decimal `k`, `M`, `G`, …, binary `Ki`, `Mi`, …, and parts `m`, `u`, `n`, `p`.

const powers = {
  p: [1000, -4],
  n: [1000, -3],
  u: [1000, -2],
  m: [1000, -1],
  '': [1000, 0],
  k: [1000, 1],
  M: [1000, 2],
  G: [1000, 3],
  T: [1000, 4],
  P: [1000, 5],
  Ki: [1024, 1],
  Mi: [1024, 2],
  Gi: [1024, 3],
  Ti: [1024, 4],
  Pi: [1024, 5],
} as const satisfies Record<string, readonly [number, number]>;

/** A unit that a setting may name. */
export type Unit = keyof typeof powers;

export const isUnit = (text: string): text is Unit => Object.hasOwn(powers, text);
export const knownUnits: readonly string[] = Object.keys(powers);

/** An amount in another unit, rounded down as Hadoop rounds. */
export function convertUnits(amount: number, from: Unit, to: Unit): number {
  const [fromBase, fromPower] = powers[from];
  const [toBase, toPower] = powers[to];
  if (from === to) return amount;
  if (fromBase === toBase) {
    const power = fromPower - toPower;
    return power >= 0 ? amount * fromBase ** power : Math.floor(amount / fromBase ** -power);
  }
  return Math.floor((amount * fromBase ** fromPower) / toBase ** toPower);
}

/** `5`, `5Gi`, `500m` as a whole number and its unit; undefined for anything else. */
export function parseAmount(text: string): { readonly amount: number; readonly unit: Unit } | undefined {
  const found = /^(\d{1,18})\s*([a-zA-Z]*)$/.exec(text.trim());
  const unit = found?.[2] ?? '';
  return found && isUnit(unit) ? { amount: Number(found[1]), unit } : undefined;
}
