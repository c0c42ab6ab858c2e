// `GET /queues/{queue}/access` (RMQueueAclInfo of Hadoop 3.4).
import { boolean, record, text } from '../codec/describe.ts';

export const queueAccess = record(
  'rmQueueAclInfo',
  { allowed: boolean(), user: text(), diagnostics: text() },
  { json: 'mapped', wrapped: false },
);
