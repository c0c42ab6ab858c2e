// What a container is for, in words.

/** Members of a container, or of an event about one. */
interface Place {
  readonly isMaster?: unknown;
  readonly instance?: unknown;
  readonly tryNumber?: unknown;
  readonly [more: string]: unknown;
}

/** `instance 3, try 2`; undefined for the container of no instance. */
export function instanceText({ instance, tryNumber }: Place): string | undefined {
  if (typeof instance !== 'number') return undefined;
  return `instance ${instance}${typeof tryNumber === 'number' && tryNumber > 1 ? `, try ${tryNumber}` : ''}`;
}

/** `Master`, `Instance 3, try 2`, or `Container`. */
export function roleText(place: Place): string {
  if (place.isMaster === true) return 'Master';
  return instanceText(place)?.replace('i', 'I') ?? 'Container';
}

/** The same, with the number of a container of no instance: `Container 5`. */
export function containerLabel(place: Place & { readonly id: string }): string {
  const role = roleText(place);
  return role === 'Container' ? `Container ${Number(place.id.split('_').at(-1))}` : role;
}
