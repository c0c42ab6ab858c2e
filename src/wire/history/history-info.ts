// The history server itself (`/ws/v1/history`, `/info`): HistoryInfo of Hadoop's hs module.
import { long, record, text } from '../codec/describe.ts';

export const historyInfo = record(
  'historyInfo',
  { startedOn: long(), hadoopVersion: text(), hadoopBuildVersion: text(), hadoopVersionBuiltOn: text() },
  { json: 'natural' },
);
