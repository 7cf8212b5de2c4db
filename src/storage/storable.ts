/** Messages may quote a client or a page. Postgres refuses U+0000 in text, and with it all rows that are written at the same time. */
export const storable = (text: string): string => text.replaceAll('\0', '\u{fffd}');
