// Whether work grows with its input: the processor time of this thread for texts of one form that get longer.

/** Processor time of this thread so far, in microseconds. Time that others have the processor does not count. */
function computedMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** The system counts in coarse steps (up to 10 ms): what is measured takes several. */
const measuredMicros = 30_000;
/** Work that is done in less is no attack, whatever its growth. */
const harmlessMicros = 15_000;
const mostRepetitions = 2000;

/** The time of one call, in microseconds; short ones are repeated until the clock can tell. Whatever else goes on only adds to it: call again for less. */
function callMicros(work: () => void): number {
  const before = computedMicros();
  for (let calls = 1; ; calls++) {
    work();
    const spent = computedMicros() - before;
    if (spent >= measuredMicros || calls === mostRepetitions) return spent / calls;
  }
}

function onceMicros(work: () => void): number {
  const before = computedMicros();
  work();
  return computedMicros() - before;
}

const factor = 16;
/** Linear work takes 16 times as long, quadratic work 256 times: the bound is in the middle. */
const tooMuch = 64;

/**
 * What is wrong with how `work` grows towards a text of `longest` characters, or undefined. A text of a sixteenth is tried first, so that even
 * bad growth is found in seconds.
 */
export function growthFault(work: (text: string) => void, textOf: (length: number) => string, longest: number): string | undefined {
  for (const length of [longest / factor, longest]) {
    const large = textOf(length);
    let largeMicros = onceMicros(() => work(large));
    if (largeMicros < harmlessMicros) continue;
    const small = textOf(length / factor);
    for (let trial = 1; ; trial++) {
      largeMicros = Math.min(
        largeMicros,
        onceMicros(() => work(large)),
      );
      const smallMicros = Math.max(
        1,
        callMicros(() => work(small)),
      );
      if (largeMicros < harmlessMicros || largeMicros / smallMicros < tooMuch) break;
      if (trial === 3)
        return `${small.length} characters take ${Math.round(smallMicros)} µs, ${large.length} take ${Math.round(largeMicros)} µs`;
    }
  }
  return undefined;
}
