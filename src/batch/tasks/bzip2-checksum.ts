// The checksum of bzip2: CRC-32 with the highest bit of each byte first, which zlib's is not.

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});

/** What a checksum begins with. It ends as its complement. */
export const firstSum = -1;

/** The sum with another byte, so many times. */
export function addToSum(sum: number, byte: number, times: number): number {
  for (; times > 0; times--) sum = (sum << 8) ^ table[(sum >>> 24) ^ byte]!;
  return sum;
}
