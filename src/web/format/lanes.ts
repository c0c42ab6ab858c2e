// Where bars of a timeline stand: by node, each in the first lane that is free when it begins; and where its axis has marks. Pure.

/** Something that took from a time until another, ms. */
export interface Bar {
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

/** Bars of a node in their lanes. */
export interface NodeLanes<T extends Bar> {
  readonly node: string;
  readonly lanes: readonly (readonly T[])[];
}

/** Bars by node, nodes by name; the bars of a lane do not overlap and stand in order. */
export function lanesOf<T extends Bar>(bars: readonly T[]): NodeLanes<T>[] {
  const byNode = new Map<string, T[]>();
  for (const bar of bars) {
    const own = byNode.get(bar.node);
    if (own) own.push(bar);
    else byNode.set(bar.node, [bar]);
  }
  return [...byNode]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([node, own]) => {
      const lanes: T[][] = [];
      for (const bar of own.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
        const free = lanes.find((lane) => lane.at(-1)!.to <= bar.from);
        if (free) free.push(bar);
        else lanes.push([bar]);
      }
      return { node, lanes };
    });
}

const steps = [100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000];
const hour = 3_600_000;

/** Marks of an axis of so many ms, at most so many: multiples of a length that people count in, from 0. */
export function marksOf(spanMs: number, most: number): number[] {
  let step = steps.find((each) => spanMs / each <= most);
  for (let hours = 2; step === undefined; hours *= 2) if (spanMs / (hours * hour) <= most) step = hours * hour;
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_each, index) => index * step);
}
