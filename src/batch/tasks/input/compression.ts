// Compressed text files, recognised by their suffix as Hadoop's CompressionCodecFactory does.
import type { Transform } from 'node:stream';
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type BlockCompressor, gzipCompressor, zlibCompressor, zstdCompressor } from '../output/block-compressors.ts';

interface Codec {
  readonly suffix: string;
  readonly decompress?: () => Transform;
  readonly compress?: () => BlockCompressor;
}

const codecsByClass: Readonly<Record<string, Codec>> = {
  'org.apache.hadoop.io.compress.DefaultCodec': { suffix: '.deflate', decompress: createInflate, compress: zlibCompressor },
  'org.apache.hadoop.io.compress.DeflateCodec': { suffix: '.deflate', decompress: createInflate, compress: zlibCompressor },
  'org.apache.hadoop.io.compress.GzipCodec': { suffix: '.gz', decompress: createGunzip, compress: gzipCompressor },
  'org.apache.hadoop.io.compress.ZStandardCodec': { suffix: '.zst', decompress: createZstdDecompress, compress: zstdCompressor },
  'org.apache.hadoop.io.compress.BZip2Codec': { suffix: '.bz2' },
  'org.apache.hadoop.io.compress.Lz4Codec': { suffix: '.lz4' },
  'org.apache.hadoop.io.compress.SnappyCodec': { suffix: '.snappy' },
};

function codecOfPath(path: string): [string, Codec] | undefined {
  return Object.entries(codecsByClass).find(([, codec]) => path.endsWith(codec.suffix));
}

/** Whether a file must be read as a whole because it is compressed. */
export function splitsWhole(path: string): boolean {
  return codecOfPath(path) !== undefined;
}

/** A stream that decompresses the file, undefined where it is plain. Throws for a codec that Heddle does not have. */
export function decompressorOf(path: string): Transform | undefined {
  const found = codecOfPath(path);
  if (found === undefined) return undefined;
  const [name, codec] = found;
  if (codec.decompress === undefined)
    throw new Error(`${name} is not supported: decompress ${path} before the job, or use gzip, deflate or zstd`);
  return codec.decompress();
}

/** Suffix of a codec named by its class, and what makes a compressor for one file. Throws for one that Heddle does not have. */
export function compressorOf(codecClass: string): { suffix: string; compress: () => BlockCompressor } {
  const codec = codecsByClass[codecClass];
  if (codec === undefined) throw new Error(`Compression codec ${codecClass} was not found.`);
  if (codec.compress === undefined)
    throw new Error(`${codecClass} is not supported for output: use GzipCodec, DefaultCodec or ZStandardCodec`);
  return { suffix: codec.suffix, compress: codec.compress };
}
