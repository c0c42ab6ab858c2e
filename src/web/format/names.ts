// Names that people give. Pure.

/** A name, or what stands in its place where it has nothing that can be seen: blanks and marks alone are none. */
export const named = (name: string, otherwise = 'without a name'): string => (/[^\s\p{C}]/u.test(name) ? name : otherwise);
