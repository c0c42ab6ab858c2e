// How many bits each symbol of an alphabet gets in a Huffman code, and the canonical codes that follow from them.

/** The depth of each leaf of a Huffman tree over weights of at least 1, of which there are at least two. */
function depthsOf(weights: readonly number[]): Uint8Array {
  const count = weights.length;
  const order = Array.from(weights, (_, i) => i).sort((a, b) => weights[a]! - weights[b]!);
  // Leaves in the order of their weights, then inner nodes, which come in the order of theirs.
  const sums = new Float64Array(2 * count - 1);
  const parents = new Int32Array(2 * count - 1);
  for (let i = 0; i < count; i++) sums[i] = weights[order[i]!]!;
  let leaf = 0;
  let inner = count;
  for (let node = count; node < 2 * count - 1; node++) {
    for (let child = 0; child < 2; child++) {
      const least = leaf < count && (inner >= node || sums[leaf]! <= sums[inner]!) ? leaf++ : inner++;
      sums[node]! += sums[least]!;
      parents[least] = node;
    }
  }
  const depths = new Uint8Array(2 * count - 1);
  for (let node = 2 * count - 3; node >= 0; node--) depths[node] = Math.min(255, depths[parents[node]!]! + 1);
  const result = new Uint8Array(count);
  for (let i = 0; i < count; i++) result[order[i]!] = depths[i]!;
  return result;
}

/** Bits of each symbol by how often it occurs, 1 to `longest`; symbols that do not occur get codes too. There are at least two. */
export function codeLengths(frequencies: ArrayLike<number>, longest: number): Uint8Array {
  let weights = Array.from(frequencies, (frequency) => Math.max(1, frequency));
  for (;;) {
    const depths = depthsOf(weights);
    if (depths.every((depth) => depth <= longest)) return depths;
    // Flatter weights make a flatter tree.
    weights = weights.map((weight) => 1 + Math.floor(weight / 2));
  }
}

/** Codes in the order of their lengths, of equal ones in the order of symbols. */
export function canonicalCodes(lengths: Uint8Array): Int32Array {
  const codes = new Int32Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= 32; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) codes[symbol] = code++;
    code <<= 1;
  }
  return codes;
}
