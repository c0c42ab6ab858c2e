// Loaded into the roles of a storm before anything else: their machine's clock is set by as much as a file says (ms), while they run.
import { readFileSync } from 'node:fs';

/** Names the file, in the environment of a role. */
const variable = 'HEDDLE_STORM_CLOCK';
const lookMs = 100;
const file = process.env[variable] ?? '';
const machine = Date;
let setByMs = 0;

function look(): void {
  try {
    setByMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // Nobody has set it yet.
  }
}

class SetDate extends machine {
  constructor(...given: []) {
    if (given.length === 0) super(SetDate.now());
    else super(...given);
  }

  static override now(): number {
    return machine.now() + setByMs;
  }
}

look();
setInterval(look, lookMs).unref();
globalThis.Date = SetDate as DateConstructor;
