// In which form records go to commands and come from them (`-io` of hadoop-streaming: IdentifierResolver), and what keys and values are then.
import { isUtf8 } from 'node:buffer';
import { variableIntegerSize, writeVariableInteger } from '../../../wire/files/writables.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import type { RecordSink } from '../records.ts';
import { spacedHex, type WritableKind } from '../writables.ts';
import { typeCodes, typedBytesText } from './typed-bytes.ts';

/** Lines of text; lengths and bytes; typed bytes; lines that are keys. */
export const streamForms = ['text', 'rawbytes', 'typedbytes', 'keyonlytext'] as const;
export type StreamForm = (typeof streamForms)[number];
/** `map.input` is what a mapper reads, `map.output` what it writes; combiners read and write as reducers do. */
export type StreamEnd = 'map.input' | 'map.output' | 'reduce.input' | 'reduce.output';

/** The form that a job has at one end of its commands. */
export function streamFormOf(settings: JobConfiguration, end: StreamEnd): StreamForm {
  const named = settings.text(`stream.${end}`, 'text').toLowerCase();
  return streamForms.find((form) => form === named) ?? 'text';
}

/**
 * What a key or value is to Hadoop: Text, BytesWritable, TypedBytesWritable, NullWritable, or a LongWritable (the position of a line), which
 * is here the eight bytes of its number.
 */
export type Datum = WrittenDatum | 'long';
type WrittenDatum = 'text' | 'bytes' | 'typed' | 'null';
/** The two of a record. */
export interface RecordData {
  readonly key: Datum;
  readonly value: Datum;
}
/** Those of one that a command writes. */
interface WrittenData extends RecordData {
  readonly key: WrittenDatum;
  readonly value: WrittenDatum;
}

/** What records are that a command writes in a form. */
export const dataOfForm: Readonly<Record<StreamForm, WrittenData>> = {
  text: { key: 'text', value: 'text' },
  rawbytes: { key: 'bytes', value: 'bytes' },
  typedbytes: { key: 'typed', value: 'typed' },
  keyonlytext: { key: 'text', value: 'null' },
};
export const textData: WrittenData = dataOfForm.text;
/** What lines of a file are, by their positions. */
export const lineData: RecordData = { key: 'long', value: 'text' };

/** How they lie in map output. */
export const kindOfDatum: Readonly<Record<Datum, WritableKind>> = {
  text: 'text',
  bytes: 'bytes',
  typed: 'bytes',
  null: 'null',
  long: 'int',
};
const io = 'org.apache.hadoop.io';
/** The classes by which Hadoop's settings name them. */
export const classOfDatum: Readonly<Record<Datum, string>> = {
  text: `${io}.Text`,
  bytes: `${io}.BytesWritable`,
  typed: 'org.apache.hadoop.typedbytes.TypedBytesWritable',
  null: `${io}.NullWritable`,
  long: `${io}.LongWritable`,
};

/** Takes the parts of a record in the order in which a command reads them. */
export type WriteParts = (
  before: Buffer,
  key: Buffer,
  keyStart: number,
  keyEnd: number,
  between: Buffer,
  value: Buffer,
  valueStart: number,
  valueEnd: number,
  behind: Buffer,
) => void;
interface PartsSink {
  readonly write: WriteParts;
}
/** Writes a record in the form of a command. */
export type WriteRecord = (key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number) => void;

const noBytes = Buffer.alloc(0);
const lineEnd = Buffer.from('\n');
/** NullWritable as text, and as typed bytes: an object of a Java class. */
const nullText = Buffer.from('(null)');
const nullClass = Buffer.from(classOfDatum.null);

function withCode(type: number | undefined, length: number): Buffer {
  const head = Buffer.allocUnsafe(type === undefined ? 4 : 5);
  head.writeUInt32BE(length, type === undefined ? 0 : head.writeUInt8(type, 0));
  return head;
}
const typedNull = Buffer.concat([withCode(typeCodes.writable, nullClass.length + 4), withCode(undefined, nullClass.length), nullClass]);

/** What stands before the bytes of a key or value, and those bytes where they are others than it has. */
interface Framed {
  readonly head: Buffer;
  readonly instead?: Buffer;
}
type Frame = (bytes: Buffer, start: number, end: number) => Framed;

const emptyRaw = withCode(undefined, 0);
const longHead = withCode(undefined, 8);
const longCode = Buffer.from([typeCodes.long]);

/** A length and the bytes that Hadoop would serialize; of byte arrays themselves (RawBytesInputWriter). */
const rawFrames: Readonly<Record<Datum, Frame>> = {
  bytes: (_bytes, start, end) => ({ head: withCode(undefined, end - start) }),
  typed: (_bytes, start, end) => ({ head: withCode(undefined, end - start) }),
  text(_bytes, start, end) {
    const prefix = variableIntegerSize(end - start);
    const head = Buffer.allocUnsafe(4 + prefix);
    head.writeUInt32BE(prefix + end - start, 0);
    writeVariableInteger(head, 4, end - start);
    return { head };
  },
  long: () => ({ head: longHead }),
  null: () => ({ head: emptyRaw, instead: noBytes }),
};

/** As typed bytes; bytes that are no UTF-8 are replaced in a text (TypedBytesInputWriter). */
const typedFrames: Readonly<Record<Datum, Frame>> = {
  typed: () => ({ head: noBytes }),
  bytes: (_bytes, start, end) => ({ head: withCode(typeCodes.bytes, end - start) }),
  text(bytes, start, end) {
    if (isUtf8(bytes.subarray(start, end))) return { head: withCode(typeCodes.string, end - start) };
    const instead = Buffer.from(bytes.toString('utf8', start, end));
    return { head: withCode(typeCodes.string, instead.length), instead };
  },
  long: () => ({ head: longCode }),
  null: () => ({ head: typedNull, instead: noBytes }),
};

/** How records of these data are written in a form. `withKeys` false leaves keys out, which lines of text alone can. */
export function recordWriter(form: StreamForm, data: RecordData, separator: Buffer, withKeys: boolean, sink: PartsSink): WriteRecord {
  if (form === 'text' && data.value !== 'null')
    return withKeys
      ? (key, from, to, value, valueFrom, valueTo) => sink.write(noBytes, key, from, to, separator, value, valueFrom, valueTo, lineEnd)
      : (_key, _from, _to, value, valueFrom, valueTo) => sink.write(noBytes, noBytes, 0, 0, noBytes, value, valueFrom, valueTo, lineEnd);
  if (form === 'text') return (key, from, to) => sink.write(noBytes, key, from, to, separator, nullText, 0, nullText.length, lineEnd);
  if (form === 'keyonlytext') return (key, from, to) => sink.write(noBytes, key, from, to, noBytes, noBytes, 0, 0, lineEnd);
  const frames = form === 'rawbytes' ? rawFrames : typedFrames;
  const [frameKey, frameValue] = [frames[data.key], frames[data.value]];
  return (key, from, to, value, valueFrom, valueTo) => {
    const { head, instead } = frameKey(key, from, to);
    const framed = frameValue(value, valueFrom, valueTo);
    const second = framed.instead;
    sink.write(
      head,
      instead ?? key,
      instead === undefined ? from : 0,
      instead === undefined ? to : instead.length,
      framed.head,
      second ?? value,
      second === undefined ? valueFrom : 0,
      second === undefined ? valueTo : second.length,
      noBytes,
    );
  };
}

type Show = (bytes: Buffer, start: number, end: number) => Buffer;
const shows: Partial<Record<Datum, Show>> = {
  long: (bytes, start) => Buffer.from(String(bytes.readBigInt64BE(start))),
  bytes: (bytes, start, end) => Buffer.from(spacedHex(bytes.subarray(start, end))),
  typed: (bytes, start) => Buffer.from(typedBytesText(bytes, start)),
};

/** A sink for text output that is given records of these data (TextOutputFormat writes what their toString says). */
export function shown(sink: RecordSink, { key, value }: RecordData): RecordSink {
  const [showKey, showValue] = [shows[key], shows[value]];
  if (showKey === undefined && showValue === undefined) return sink;
  return {
    get full() {
      return sink.full;
    },
    drain: () => sink.drain(),
    collectInteger: (...record) => sink.collectInteger(...record),
    collect(keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd) {
      const shownKey = showKey?.(keyBytes, keyStart, keyEnd) ?? keyBytes.subarray(keyStart, keyEnd);
      const shownValue = showValue?.(valueBytes, valueStart, valueEnd) ?? valueBytes.subarray(valueStart, valueEnd);
      sink.collect(shownKey, 0, shownKey.length, shownValue, 0, shownValue.length);
    },
  };
}
