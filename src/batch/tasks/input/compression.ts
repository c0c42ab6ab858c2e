// Compressed text files, recognised by their suffix as Hadoop's CompressionCodecFactory does.
import type { Transform } from 'node:stream';
import {
  createGunzip,
  createInflate,
  createZstdDecompress,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { BlockCodec } from '../block-codec.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import { type BlockCompressor, gzipCompressor, zlibCompressor, zstdCompressor } from '../output/block-compressors.ts';
import { encodeLz4, encodeSnappy, lz4Compressor, snappyCompressor } from '../output/block-matches.ts';
import { bzip2Compressor } from '../output/bzip2-compressor.ts';
import { BlockReader, decodeLz4, decodeSnappy, unpackBlocks } from './block-framing.ts';
import { Bzip2Reader, decompressBzip2 } from './bzip2.ts';

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
  /** That this ends with the first of several streams one behind the other, and says by `bytesWritten` where: the rest is for another one. */
  readonly endsWithStream?: boolean;
  readonly compress: () => BlockCompressor;
  readonly block: BlockCodec;
  /** What is compressed as a file would be and all there, to at most so many bytes. Undefined: a block is the same. */
  readonly unpack?: Unpack;
}

/** Decompresses what is all there to at most so many bytes. @throws Error where it is more, or not of the format */
export type Unpack = (packed: Buffer, mostBytes: number) => Buffer;

const codec = (name: string) => `org.apache.hadoop.io.compress.${name}`;
/** Decoding as Node's zlib does it, into no more bytes than there have to be. */
const bounded =
  (decode: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer): BlockCodec['decompress'] =>
  (packed, plainLength) =>
    decode(packed, { maxOutputLength: plainLength });
const decodedBy =
  (decode: (from: Buffer, to: Buffer, at: number) => number): BlockCodec['decompress'] =>
  (packed, plainLength) => {
    const plain = Buffer.allocUnsafe(plainLength);
    return plain.subarray(0, decode(packed, plain, 0));
  };

const zlib: Codec = {
  suffix: '.deflate',
  decompress: () => createInflate(),
  endsWithStream: true,
  compress: zlibCompressor,
  block: { compress: (plain) => deflateSync(plain), decompress: bounded(inflateSync) },
};
const codecsByClass: Readonly<Record<string, Codec>> = {
  [codec('DefaultCodec')]: zlib,
  [codec('DeflateCodec')]: zlib,
  [codec('GzipCodec')]: {
    suffix: '.gz',
    decompress: () => createGunzip(),
    endsWithStream: true,
    compress: gzipCompressor,
    block: { compress: (plain) => gzipSync(plain), decompress: bounded(gunzipSync) },
  },
  [codec('ZStandardCodec')]: {
    suffix: '.zst',
    decompress: () => createZstdDecompress(),
    endsWithStream: true,
    compress: zstdCompressor,
    block: { compress: (plain) => zstdCompressSync(plain), decompress: bounded(zstdDecompressSync) },
  },
  [codec('BZip2Codec')]: {
    suffix: '.bz2',
    splits: true,
    decompress: ({ start, length }) => new Bzip2Reader(start, length),
    compress: bzip2Compressor,
    block: {
      compress(plain) {
        const compressor = bzip2Compressor();
        return Buffer.concat([compressor.update(plain), compressor.end()]);
      },
      decompress: decompressBzip2,
    },
  },
  [codec('Lz4Codec')]: {
    suffix: '.lz4',
    decompress: () => new BlockReader(decodeLz4),
    compress: lz4Compressor,
    block: { compress: encodeLz4, decompress: decodedBy(decodeLz4) },
    unpack: (packed, mostBytes) => unpackBlocks(decodeLz4, packed, mostBytes),
  },
  [codec('SnappyCodec')]: {
    suffix: '.snappy',
    decompress: () => new BlockReader(decodeSnappy),
    compress: snappyCompressor,
    block: { compress: encodeSnappy, decompress: decodedBy(decodeSnappy) },
    unpack: (packed, mostBytes) => unpackBlocks(decodeSnappy, packed, mostBytes),
  },
};

/** Classes of codecs by which output, and what goes from maps to reduces, can be compressed. */
export const codecClasses: readonly string[] = Object.keys(codecsByClass);

/** The name of a web address ends where its query begins. */
const nameOf = (path: string): string => (/^https?:/i.test(path) ? path.split(/[?#]/, 1)[0]! : path);

function codecOfPath(path: string): Codec | undefined {
  const name = nameOf(path);
  return Object.values(codecsByClass).find(({ suffix }) => name.endsWith(suffix));
}

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

/** Whether a decompressor of the file ends with the first of several streams, or before bytes that are none. */
export const endsWithStream = (path: string): boolean => codecOfPath(path)?.endsWithStream === true;

/** What Hadoop compresses by where no codec is named. */
export const defaultCodec = codec('DefaultCodec');

function codecOfClass(codecClass: string): Codec {
  const found = codecsByClass[codecClass];
  if (found === undefined) throw new Error(`Compression codec ${codecClass} was not found.`);
  return found;
}

/** Suffix of a codec named by its class, and what makes a compressor for one file. @throws Error for one that Heddle does not have. */
export function compressorOf(codecClass: string): { suffix: string; compress: () => BlockCompressor } {
  const { suffix, compress } = codecOfClass(codecClass);
  return { suffix, compress };
}

/** What undoes a codec named by its class, where all bytes are there. @throws Error for one that Heddle does not have */
export function unpackerOf(codecClass: string): Unpack {
  const { unpack, block } = codecOfClass(codecClass);
  return unpack ?? ((packed, mostBytes) => block.decompress(packed, mostBytes));
}

/** How what goes from maps to reduces is compressed, by a job's settings; undefined where it is not. @throws Error for a codec that Heddle does not have */
export function mapOutputCodecOf(configuration: JobConfiguration): BlockCodec | undefined {
  return configuration.boolean('mapreduce.map.output.compress', false)
    ? codecOfClass(configuration.text('mapreduce.map.output.compress.codec', defaultCodec)).block
    : undefined;
}
