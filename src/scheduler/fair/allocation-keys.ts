// What a fair-scheduler.xml sets, as keys with values: by them two files are compared.
import { isObject } from '../../lib/json-shape.ts';
import { rootOf } from './allocations.ts';
import { childrenOf, fileElements, queueElements, type XmlElement } from './elements.ts';

/** `root.a.weight` → `2`, `root.a` → `queue` for each queue, `user ada.maxRunningApps`, `queueMaxAppsDefault`. @throws ConfigurationRefused */
export function allocationKeys(text: string | undefined): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  if (text?.trim()) addElements(rootOf(text), '', keys);
  return keys;
}

const isQueue = (name: string): boolean =>
  [queueElements.queue, fileElements.queue].some((row) => row.name === name || row.olderName === name);

function addElements(element: XmlElement, within: string, keys: Map<string, string>): void {
  const prefix = within === '' ? '' : `${within}.`;
  for (const [name, value] of Object.entries(element)) {
    if (isQueue(name) || name === fileElements.user.name || name === '@name' || name === '#text') continue;
    keys.set(`${prefix}${name.replace(/^@/, '')}`, isObject(value) ? JSON.stringify(value) : String(value).trim());
  }
  for (const queue of childrenOf(element, fileElements.queue)) {
    const name = String(queue['@name'] ?? '').trim();
    const path = within === '' && name !== 'root' ? `root.${name}` : `${prefix}${name}`;
    keys.set(path, 'queue');
    addElements(queue, path, keys);
  }
  for (const user of childrenOf(element, fileElements.user)) addElements(user, `user ${String(user['@name'] ?? '').trim()}`, keys);
}
