// Compressed text files, recognised by their suffix as Hadoop's CompressionCodecFactory does.
import type { Transform } from 'node:stream';
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type BlockCompressor, gzipCompressor, zlibCompressor, zstdCompressor } from '../output/block-compressors.ts';
import { lz4Compressor, snappyCompressor } from '../output/block-matches.ts';
import { BlockReader, decodeLz4, decodeSnappy } from './block-framing.ts';
import { Bzip2Reader } from './bzip2.ts';

/** A part of a file, bytes. */
interface Part {
  readonly start: number;
  readonly length: number;
}

interface Codec {
  readonly suffix: string;
  /** Whether parts of a file can be read by themselves. */
  readonly splits?: boolean;
  readonly decompress: (part: Part) => Transform;
  readonly compress?: () => BlockCompressor;
}

const codec = (name: string) => `org.apache.hadoop.io.compress.${name}`;
const zlib: Codec = { suffix: '.deflate', decompress: () => createInflate(), compress: zlibCompressor };
const codecsByClass: Readonly<Record<string, Codec>> = {
  [codec('DefaultCodec')]: zlib,
  [codec('DeflateCodec')]: zlib,
  [codec('GzipCodec')]: { suffix: '.gz', decompress: () => createGunzip(), compress: gzipCompressor },
  [codec('ZStandardCodec')]: { suffix: '.zst', decompress: () => createZstdDecompress(), compress: zstdCompressor },
  [codec('BZip2Codec')]: { suffix: '.bz2', splits: true, decompress: ({ start, length }) => new Bzip2Reader(start, length) },
  [codec('Lz4Codec')]: { suffix: '.lz4', decompress: () => new BlockReader(decodeLz4), compress: lz4Compressor },
  [codec('SnappyCodec')]: { suffix: '.snappy', decompress: () => new BlockReader(decodeSnappy), compress: snappyCompressor },
};

/** Classes of codecs by which output can be compressed. */
export const outputCodecs: readonly string[] = Object.keys(codecsByClass).filter((name) => codecsByClass[name]!.compress !== undefined);

const codecOfPath = (path: string): Codec | undefined => Object.values(codecsByClass).find(({ suffix }) => path.endsWith(suffix));

/** Whether a file is compressed. */
export const isCompressed = (path: string): boolean => codecOfPath(path) !== undefined;

/** Whether a file must be read as a whole because it is compressed. */
export function splitsWhole(path: string): boolean {
  const found = codecOfPath(path);
  return found !== undefined && found.splits !== true;
}

/**
 * A stream that decompresses a part of the file, of most formats the whole; undefined where the file is plain. What is written to it are the file's bytes from
 * the beginning of the part to the end of the file.
 */
export const decompressorOf = (path: string, part: Part): Transform | undefined => codecOfPath(path)?.decompress(part);

/** Suffix of a codec named by its class, and what makes a compressor for one file. Throws for one that Heddle does not have. */
export function compressorOf(codecClass: string): { suffix: string; compress: () => BlockCompressor } {
  const found = codecsByClass[codecClass];
  if (found === undefined) throw new Error(`Compression codec ${codecClass} was not found.`);
  if (found.compress === undefined) throw new Error(`${codecClass} is not supported for output: use one of ${outputCodecs.join(', ')}`);
  return { suffix: found.suffix, compress: found.compress };
}
