import assert from 'node:assert/strict';
import { it } from 'node:test';
import { holder, int, later, list, long, type Member, map, object, polymorphic, record, text } from '../wire/codec/describe.ts';
import { writeXml, xmlPrologue } from '../wire/codec/xml.ts';
import { recordExample } from './record-examples.ts';

it('examples of records are values that the writer of XML takes', () => {
  interface Queue {
    readonly queueName?: string | undefined;
    readonly queues?: readonly Queue[] | undefined;
  }
  const leaf = object({ queueName: text() });
  const queue: Member<Queue> = polymorphic<Queue>(
    () => [parent, leaf],
    (value) => (value.queues ? parent : leaf) as Member,
  );
  const parent = object({
    queueName: text(),
    queues: holder(
      'queue',
      later(() => queue),
    ),
  });
  const described = record(
    'scheduler',
    { queue, labels: list(text()), environment: map(text()), startedTime: long(), small: int() },
    { json: 'natural' },
  );
  const value = recordExample(described as never, 'scheduler');
  // As deep as examples go, a queue that could have others has none.
  const leafText = '<queue><queueName>default</queueName><queues/></queue>';
  assert.equal(
    writeXml(described, value as never),
    `${xmlPrologue}<scheduler><queue><queueName>default</queueName><queues>${leafText}</queues></queue><labels>gpu</labels>` +
      '<environment><entry><key>GREETING</key><value>text</value></entry></environment><startedTime>1767225600000</startedTime>' +
      '<small>1</small></scheduler>',
  );
});
