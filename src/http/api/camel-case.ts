// The wire says full_page, the code says fullPage.

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

export const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The options of a request under the names that a render job has for them. */
export const camelCased = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camelCase(name), value])) as {
    [Name in keyof T & string as Camel<Name>]: T[Name];
  };
