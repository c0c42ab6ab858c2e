// Values of capacity-scheduler.xml that are what their type reads and make no sense: numbers beyond the bounds of their row, booleans that are neither
// true nor false. Hadoop takes them, and a queue then stands still, or does without what was meant, in silence.

import { decimalForm } from '../../../lib/java-number.ts';
import { ConfigurationRefused, under } from '../../policy.ts';
import { parseFloat32 } from './capacity-value.ts';
import type { QueueOption } from './option.ts';
import { optionOf } from './options.ts';
import { numberParser } from './properties.ts';

/** Looks at each value, or at those that are others than before: what was stored once is kept. @throws ConfigurationRefused */
export function checkValues(properties: ReadonlyMap<string, string>, before?: ReadonlyMap<string, string>): void {
  for (const [key, value] of properties) {
    if (value.trim() === '' || before?.get(key) === value) continue;
    const option = optionOf(key);
    if (option) checkValue(option, key, value.trim());
  }
}

function checkValue(option: QueueOption, key: string, text: string): void {
  if (option.type === 'boolean' && !/^(true|false)$/i.test(text))
    throw new ConfigurationRefused(`'${text}' is neither true nor false`, {
      key,
      remedy: 'Give true or false, or remove the key.',
      isOwn: true,
    });
  const { minimum, maximum, orMinusOne } = option;
  if (minimum === undefined && maximum === undefined) return;
  const value = numberOf(option, key, text);
  if (value === undefined || (orMinusOne && value === -1)) return;
  const isBelow = minimum !== undefined && value < minimum;
  if (!isBelow && (maximum === undefined || value <= maximum)) return;
  throw new ConfigurationRefused(`${text} is ${isBelow ? `below ${minimum}` : `above ${maximum}`}`, {
    key,
    remedy: `Give a number ${boundsOf(option)}, or remove the key.`,
    isOwn: true,
  });
}

/** The number of a text; undefined for weights, vectors and what is neither: where that counts, reading it says so. */
function numberOf(option: QueueOption, key: string, text: string): number | undefined {
  if (option.type === 'capacity') return decimalForm.test(text) ? parseFloat32(text) : undefined;
  return under({ key, remedy: 'Give it a number.' }, () => numberParser(option)(text));
}

/** The bounds of an option in words: `from 0 to 1, or -1`. */
export function boundsOf({ minimum, maximum, orMinusOne }: QueueOption): string {
  const words = [minimum === undefined ? '' : `from ${minimum}`, maximum === undefined ? '' : `to ${maximum}`];
  if (minimum !== undefined && maximum === undefined) words.push('on');
  return `${words.filter((word) => word !== '').join(' ')}${orMinusOne ? ', or -1' : ''}`;
}
