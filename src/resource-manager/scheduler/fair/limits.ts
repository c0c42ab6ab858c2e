// What a queue of the fair policy may hold: its own maximum and its ancestors', and the part for masters.

import type { Resource } from '../../../model/resource.ts';
import type { OpenAsk } from '../asks.ts';
import type { FairQueue } from './queue.ts';

/** Not above its maximum already. */
export function withinMaximum(queue: FairQueue): boolean {
  return queue.used.every((value, i) => value <= queue.maximumOf(i));
}

/** With the request the queue and all above it stay within their maxima. */
export function fitsMaximum(queue: FairQueue, ask: OpenAsk): boolean {
  for (let at: FairQueue | undefined = queue; at; at = at.parent) {
    for (let i = 0; i < ask.resource.length; i++) if (at.used[i]! + ask.resource[i]! > at.maximumOf(i)) return false;
  }
  return true;
}

/** A part of the fair share; of what is free (within the maximum) where the share of memory or vcores is 0. */
export function masterMaximum(queue: FairQueue, free: Resource): Resource {
  return queue.fair.map((fair, i) =>
    Math.ceil((fair > 0 || i > 1 ? fair : Math.min(free[i]!, queue.maximumOf(i))) * queue.settings.amShare),
  );
}
