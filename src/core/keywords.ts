// What a schema says to the validation alone. Symbols, so that they are no part of a published schema, whose descriptions say the same.

/** The most bytes that a text may have in UTF-8: JSON Schema counts characters. */
export const maxBytes = Symbol('max bytes');

/** What a message says that a value must be, where the other keywords cannot say it. */
export const expected = Symbol('expected');
