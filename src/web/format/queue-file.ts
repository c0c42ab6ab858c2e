// A queue file that is to be tried: what the resource manager is asked about it. Pure.
import type { QueueFileBody } from './queue-change.ts';

const isNone = 'Begins neither with <configuration> (capacity-scheduler.xml) nor with <allocations> (fair-scheduler.xml).';

/** Body of the question; a sentence where the text is no queue file. */
export function queueFileBody(text: string): QueueFileBody | string {
  // Chromium complains to its console of what is no XML.
  if (!/<(?:configuration|allocations)[\s/>]/.test(text)) return isNone;
  const parsed = new DOMParser().parseFromString(text, 'application/xml');
  if (parsed.querySelector('parsererror')) return 'Is no XML: an element is not closed, or a character is not written as XML writes it.';
  const { localName } = parsed.documentElement;
  if (localName === 'allocations') return { allocations: text };
  if (localName !== 'configuration') return isNone;
  const entry = [...parsed.querySelectorAll('configuration > property')].map((property) => {
    const textOf = (child: string) => property.querySelector(child)?.textContent?.trim() ?? '';
    return { key: textOf('name'), value: textOf('value') };
  });
  return entry.length === 0 ? 'Sets nothing.' : { properties: { entry: entry.filter(({ key }) => key !== '') } };
}
