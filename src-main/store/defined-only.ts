/** `T` without the fields that are there but undefined, so that spreading it overwrites only what was given. */
type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function definedOnly<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
