// npm run parked-mutations: takes every change out of the table of parked work in turn and looks for a random world
// in which that is seen: another placement than without parking. A row that no world misses is needless, or a world lacks something. The rarest
// rows take some twenty thousand worlds, and the whole run some minutes.
import { numberOption, readArguments } from '../../scripts/arguments.ts';
import { endedBy } from '../../src/scheduler/capacity/cycle/parked-reasons.ts';
import { ChangingWorld } from '../../src/scheduler/conformance/changing-world.ts';
import type { Parking } from '../../src/scheduler/policy.ts';

const usage = `npm run parked-mutations -- [options]
  --worlds N   in which each is looked for (default: 25000)`;
const { values } = readArguments(usage, { options: { worlds: { type: 'string', default: '25000' } } });
const worlds = numberOption(usage, 'worlds', values.worlds);

interface Shape {
  readonly number: number;
  readonly everyChange: boolean;
  readonly crowd: boolean;
}

/** Few applications first, a crowd now and then. */
const shapeOf = (i: number): Shape => ({ number: i, everyChange: i % 2 === 0, crowd: i % 5 === 4 });

function journalOf({ number, everyChange, crowd }: Shape, parking: Parking, stopAt?: readonly string[]): readonly string[] {
  const world = new ChangingWorld('capacity', number, { parking, everyChange, crowd });
  const differs = (): boolean => stopAt !== undefined && world.journal.some((entry, i) => entry !== stopAt[i]);
  for (let i = 0; i < 8 && !differs(); i++) world.step();
  for (let i = 0; i < 5 && !differs(); i++) world.pass(1000);
  return world.journal;
}

const expected = new Map<number, readonly string[]>();

/** The first entry that is another with the table, or -1. */
function differsAt(shape: Shape, table: Parking): number {
  let without = expected.get(shape.number);
  if (!without) expected.set(shape.number, (without = journalOf(shape, 'off')));
  try {
    const journal = journalOf(shape, table, without);
    return journal.findIndex((entry, i) => entry !== without[i]);
  } catch {
    // A forgotten change may also break the invariants of parked work.
    return 0;
  }
}

let survived = 0;
console.log('| reason | change taken out | seen in |\n| --- | --- | --- |');
for (const [reason, changes] of Object.entries(endedBy))
  for (const change of changes) {
    const table = { ...endedBy, [reason]: changes.filter((other) => other !== change) };
    let seen = 'nothing: SURVIVED';
    for (let i = 0; i < worlds; i++) {
      const shape = shapeOf(i);
      const at = differsAt(shape, table);
      if (at < 0) continue;
      seen = `world ${i}${shape.crowd ? ', crowd' : ''}${shape.everyChange ? ', every change' : ''}, entry ${at}`;
      break;
    }
    if (seen.endsWith('SURVIVED')) survived++;
    console.log(`| ${reason} | ${change} | ${seen} |`);
  }
process.exitCode = survived > 0 ? 1 : 0;
