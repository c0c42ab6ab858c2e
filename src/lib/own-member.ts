/** Sets a member of an object whose names come from callers: `__proto__` is a name like any other. */
export function setOwn<Value>(record: Record<string, Value>, name: string, value: Value): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}
