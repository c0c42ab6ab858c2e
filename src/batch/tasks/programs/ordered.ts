// A streaming program whose records go to reduces by parts of their keys, or reach them in another order than that of the keys' bytes.
// Where the order is another, a key travels as: bytes that sort, the key, the length of those bytes. So nothing else has to know.
import type { JobConfiguration } from '../job-configuration.ts';
import { compareKeys } from '../record-sort.ts';
import type { Partitioner } from '../record-table.ts';
import type { RawRecordSink, RecordSink } from '../records.ts';
import { partitionerClassOf, rangePartitioner, readCutPoints, wantsTotalOrder } from '../total-order.ts';
import { hashBytes, partitionOf } from '../writables.ts';
import { type KeyPart, keyFieldPartition, readKeyParts, sortBytes } from './key-fields.ts';

/** Classes that choose parts of keys. */
export const keyFieldPartitioners: readonly string[] = [
  'org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner',
  'org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner',
];
export const keyFieldComparators: readonly string[] = [
  'org.apache.hadoop.mapred.lib.KeyFieldBasedComparator',
  'org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator',
];

const lengthBytes = 4;

/** How keys travel between maps and reduces. */
export interface KeyOrder {
  readonly partitioner: Partitioner | undefined;
  /** Takes records with plain keys and passes them on as they travel. */
  packing<Sink extends RawRecordSink>(sink: Sink): Sink;
  /** A plain key as it travels: bytes in the order of the keys. */
  pack(key: Buffer): Buffer;
  /** The plain key of one that travels; undefined where keys travel as they are. */
  readonly plain: ((key: Buffer) => Buffer) | undefined;
  /** Where the plain key begins inside one that travels, which lies from `start` to `end`. */
  plainStart(buffer: Buffer, start: number, end: number): number;
  /** Where it ends there. */
  plainEnd(end: number): number;
}

function partitionParts(settings: JobConfiguration): KeyPart[] {
  const name = 'mapreduce.partition.keypartitioner.options';
  const options = settings.text(name, '');
  if (options !== '') return readKeyParts(options, name);
  const fields = settings.integer('num.key.fields.for.partition', 0);
  return fields > 0 ? readKeyParts(`-k1,${fields}`, 'num.key.fields.for.partition') : [];
}

/** The parts of keys by which a job's records are ordered, and by which they go to reduces; undefined: by whole keys. @throws BadSetting */
export function keyPartsOf(settings: JobConfiguration): {
  readonly order: readonly KeyPart[];
  readonly parts: readonly KeyPart[] | undefined;
} {
  const comparator = settings.text('mapreduce.job.output.key.comparator.class', '');
  const comparatorOptions = 'mapreduce.partition.keycomparator.options';
  return {
    order: keyFieldComparators.includes(comparator) ? readKeyParts(settings.text(comparatorOptions, ''), comparatorOptions) : [],
    parts: keyFieldPartitioners.includes(partitionerClassOf(settings)) ? partitionParts(settings) : undefined,
  };
}

/** The order and the partitions that a job's settings ask for. @throws BadSetting */
export function keyOrder(settings: JobConfiguration): KeyOrder {
  const separator = Buffer.from(settings.text('mapreduce.map.output.key.field.separator', '\t'));
  const { order, parts } = keyPartsOf(settings);
  const plainStart: KeyOrder['plainStart'] =
    order.length === 0 ? (_buffer, start) => start : (buffer, start, end) => start + buffer.readUInt32BE(end - lengthBytes);
  const plainEnd: KeyOrder['plainEnd'] = order.length === 0 ? (end) => end : (end) => end - lengthBytes;
  const pack = (key: Buffer): Buffer => (order.length === 0 ? key : packed(key, sortBytes(order, separator, key)));
  const partitioner: Partitioner | undefined = wantsTotalOrder(settings)
    ? rangePartitioner(readCutPoints(settings).map(pack), compareKeys)
    : parts === undefined && order.length === 0
      ? undefined
      : (buffer, start, end, partitions) => {
          const [from, to] = [plainStart(buffer, start, end), plainEnd(end)];
          return parts === undefined
            ? partitionOf(hashBytes(buffer, from, to), partitions)
            : keyFieldPartition(parts, separator, buffer.subarray(from, to), partitions);
        };
  return {
    partitioner,
    plainStart,
    plainEnd,
    pack,
    plain: order.length === 0 ? undefined : (key) => key.subarray(plainStart(key, 0, key.length), plainEnd(key.length)),
    packing: (sink) => (order.length === 0 ? sink : packing(sink, pack)),
  };
}

function packed(plain: Buffer, sorting: Buffer): Buffer {
  const length = Buffer.allocUnsafe(lengthBytes);
  length.writeUInt32BE(sorting.length);
  return Buffer.concat([sorting, plain, length]);
}

function packing<Sink extends RawRecordSink>(sink: Sink, pack: (key: Buffer) => Buffer): Sink {
  const taking: RawRecordSink = {
    get full() {
      return sink.full;
    },
    drain: () => sink.drain(),
    collect(key, keyStart, keyEnd, value, valueStart, valueEnd) {
      const bytes = pack(key.subarray(keyStart, keyEnd));
      sink.collect(bytes, 0, bytes.length, value, valueStart, valueEnd);
    },
  };
  if ('collectInteger' in sink)
    Object.assign(taking, {
      collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number) {
        const bytes = pack(key.subarray(keyStart, keyEnd));
        (sink as unknown as RecordSink).collectInteger(bytes, 0, bytes.length, value);
      },
    });
  return taking as Sink;
}
