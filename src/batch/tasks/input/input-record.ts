// Where in a piece of input the key and the value of its record lie.
import type { JobConfiguration } from '../job-configuration.ts';
import type { RecordInput } from './formats.ts';

const tab = '\t';

/** Where the key and the value of an input record lie; the value ends with the record. */
export interface InputRecord {
  readonly key: Buffer;
  readonly keyEnd: number;
  readonly keyStart: number;
  readonly valueStart: number;
}
export type ReadRecord = (buffer: Buffer, start: number, end: number, position: number) => InputRecord;

/** How a piece of input becomes a record. A position is written in decimal digits, or as its eight bytes. */
export function recordOf(configuration: JobConfiguration, input: RecordInput, isDecimal: boolean): ReadRecord {
  if (input === 'marked') return (buffer, start, end) => ({ key: buffer, keyStart: start, keyEnd: end, valueStart: end });
  if (input === 'sequence')
    return (buffer, start) => {
      const keyStart = start + 4;
      const keyEnd = keyStart + buffer.readUInt32BE(start);
      return { key: buffer, keyStart, keyEnd, valueStart: keyEnd };
    };
  if (input === 'pairs') {
    const separator = Buffer.from(configuration.text('mapreduce.input.keyvaluelinerecordreader.key.value.separator', tab))[0] ?? 9;
    return (buffer, start, end) => {
      const found = buffer.indexOf(separator, start);
      const at = found < 0 || found >= end ? end : found;
      return { key: buffer, keyStart: start, keyEnd: at, valueStart: Math.min(end, at + 1) };
    };
  }
  const key = Buffer.alloc(20);
  if (isDecimal)
    return (_buffer, start, _end, position) => ({ key, keyStart: 0, keyEnd: key.write(String(position), 'latin1'), valueStart: start });
  return (_buffer, start, _end, position) => ({ key, keyStart: 0, keyEnd: key.writeBigUInt64BE(BigInt(position)), valueStart: start });
}
