// Keys and values of sequence files as text, by the Java classes that the files name.
import { isUtf8 } from 'node:buffer';
import { readVariableInteger, variableIntegerSizeAt } from '../../../wire/files/writables.ts';
import { spacedHex } from '../writables.ts';

/** Thrown for a sequence file that cannot be read. */
export class BadSequenceFile extends Error {
  override readonly name = 'java.io.IOException';
}

/** What a key or value, as its class wrote it, is as text. @throws BadSequenceFile where it is none of its class */
export type TextOf = (written: Buffer) => Buffer;

/** How byte arrays and texts that are no UTF-8 become text: as toString shows them, or as their bytes are, which is what commands read. */
export type BytesShown = 'shown' | 'as they are';

const fail = (className: string): never => {
  throw new BadSequenceFile(`a key or value is no ${className}`);
};

function contentOfText(written: Buffer): Buffer {
  const start = written.length === 0 ? 1 : variableIntegerSizeAt(written, 0);
  const length = start > written.length ? -1 : readVariableInteger(written, 0);
  return start + length === written.length && length >= 0 ? written.subarray(start) : fail('Text');
}

function contentOfBytes(written: Buffer): Buffer {
  const length = written.length < 4 ? -1 : written.readInt32BE();
  return 4 + length === written.length ? written.subarray(4) : fail('BytesWritable');
}

function shownText(written: Buffer): Buffer {
  const content = contentOfText(written);
  return isUtf8(content) ? content : Buffer.from(content.toString());
}

const noBytes = Buffer.from('(null)');
const classes: Readonly<Record<string, (bytes: BytesShown) => TextOf>> = {
  Text: (bytes) => (bytes === 'shown' ? shownText : contentOfText),
  BytesWritable: (bytes) => (bytes === 'shown' ? (written) => Buffer.from(spacedHex(contentOfBytes(written))) : contentOfBytes),
  LongWritable: () => (written) => (written.length === 8 ? Buffer.from(String(written.readBigInt64BE())) : fail('LongWritable')),
  IntWritable: () => (written) => (written.length === 4 ? Buffer.from(String(written.readInt32BE())) : fail('IntWritable')),
  NullWritable: () => (written) => (written.length === 0 ? noBytes : fail('NullWritable')),
};
const packageName = 'org.apache.hadoop.io.';

/** How keys or values of a class become text. @throws BadSequenceFile for a class that Heddle does not have */
export function textOfClass(className: string, bytes: BytesShown): TextOf {
  const name = className.startsWith(packageName) ? className.slice(packageName.length) : '';
  if (!Object.hasOwn(classes, name))
    throw new BadSequenceFile(
      `it has keys or values of ${className.slice(0, 200)}; those of ${Object.keys(classes).join(', ')} are read (${packageName}…)`,
    );
  return classes[name]!(bytes);
}
