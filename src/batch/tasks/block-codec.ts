// Compressing one block by itself: what stands in map output that is compressed.

/** Both ways of a format; a block knows nothing of others. */
export interface BlockCodec {
  compress(plain: Buffer): Buffer;
  /** `plainLength` bytes have to come out. @throws Error where the bytes are not of the format */
  decompress(packed: Buffer, plainLength: number): Buffer;
}
