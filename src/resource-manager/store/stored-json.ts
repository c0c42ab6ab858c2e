// JSON that an earlier process of the resource manager left in its store, perhaps one of another version.
import { checked, type JsonShape } from '../../lib/json-shape.ts';

/** The value of a stored text. @throws Error that names the record and the place of the fault: to start without it would forget what was promised */
export function storedJson<T>(described: JsonShape<T>, written: string, record: string): T {
  const { value, fault } = checked(described, JSON.parse(written));
  if (fault !== undefined) throw new Error(`${record} in the store of the resource manager cannot be read: ${fault}`);
  return value;
}
