// JSON that an earlier process of the resource manager left in its store, perhaps one of another version.
import { checked, type JsonShape } from '../../lib/json-shape.ts';

/**
 * The value of a stored text. What could not be read was set aside when the store was opened (`start/store-kind.ts` knows the same shapes).
 * @throws Error that names the record and the place of the fault, and no content: there are secrets in it
 */
export function storedJson<T>(described: JsonShape<T>, written: string, record: string): T {
  const { value, fault } = checked(described, parsed(written));
  if (fault !== undefined) throw new Error(`${record} in the store of the resource manager cannot be read: ${fault}`);
  return value;
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
