// A streaming program whose records go to reduces by parts of their keys, or reach them in another order than that of the keys' bytes.
// Where the order is another, a key travels as: bytes that sort, the key, the length of those bytes. So nothing else has to know.
import type { JobConfiguration } from '../job-configuration.ts';
import type { Partitioner } from '../record-table.ts';
import type { RawRecordSink, RecordSink } from '../records.ts';
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
  /** Where the plain key lies inside one that travels. */
  plain(buffer: Buffer, start: number, end: number): readonly [start: number, end: number];
}

function partitionParts(settings: JobConfiguration): KeyPart[] {
  const name = 'mapreduce.partition.keypartitioner.options';
  const options = settings.text(name, '');
  if (options !== '') return readKeyParts(options, name);
  const fields = settings.integer('num.key.fields.for.partition', 0);
  return fields > 0 ? readKeyParts(`-k1,${fields}`, 'num.key.fields.for.partition') : [];
}

/** The order and the partitions that a job's settings ask for. @throws BadSetting */
export function keyOrder(settings: JobConfiguration): KeyOrder {
  const separator = Buffer.from(settings.text('mapreduce.map.output.key.field.separator', '\t'));
  const comparator = settings.text('mapreduce.job.output.key.comparator.class', '');
  const comparatorOptions = 'mapreduce.partition.keycomparator.options';
  const order = keyFieldComparators.includes(comparator) ? readKeyParts(settings.text(comparatorOptions, ''), comparatorOptions) : [];
  const partitionerClass = settings.text('mapred.partitioner.class', settings.text('mapreduce.job.partitioner.class', ''));
  const parts = keyFieldPartitioners.includes(partitionerClass) ? partitionParts(settings) : undefined;
  const plain: KeyOrder['plain'] =
    order.length === 0
      ? (_buffer, start, end) => [start, end]
      : (buffer, start, end) => [start + buffer.readUInt32BE(end - lengthBytes), end - lengthBytes];
  const partitioner: Partitioner | undefined =
    parts === undefined && order.length === 0
      ? undefined
      : (buffer, start, end, partitions) => {
          const [from, to] = plain(buffer, start, end);
          return parts === undefined
            ? partitionOf(hashBytes(buffer, from, to), partitions)
            : keyFieldPartition(parts, separator, buffer.subarray(from, to), partitions);
        };
  return {
    partitioner,
    plain,
    packing: (sink) => (order.length === 0 ? sink : packing(sink, (key) => sortBytes(order, separator, key))),
  };
}

function packing<Sink extends RawRecordSink>(sink: Sink, sortKey: (key: Buffer) => Buffer): Sink {
  const pack = (key: Buffer, start: number, end: number): Buffer => {
    const plain = key.subarray(start, end);
    const sorting = sortKey(plain);
    const length = Buffer.allocUnsafe(lengthBytes);
    length.writeUInt32BE(sorting.length);
    return Buffer.concat([sorting, plain, length]);
  };
  const packed: RawRecordSink = {
    get full() {
      return sink.full;
    },
    drain: () => sink.drain(),
    collect(key, keyStart, keyEnd, value, valueStart, valueEnd) {
      const bytes = pack(key, keyStart, keyEnd);
      sink.collect(bytes, 0, bytes.length, value, valueStart, valueEnd);
    },
  };
  if ('collectInteger' in sink)
    Object.assign(packed, {
      collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number) {
        const bytes = pack(key, keyStart, keyEnd);
        (sink as unknown as RecordSink).collectInteger(bytes, 0, bytes.length, value);
      },
    });
  return packed as Sink;
}
