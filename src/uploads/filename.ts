// Derives the stored filename of an upload from the submitted one: safe in a header, on any disk, and not misleading to read.
// Spec 2.1.
import { imageExtensions } from '#uploads/image-types.ts';
import type { ImageType } from '#uploads/image-types.ts';

const maxCharacters = 100;
const maxBytes = 255;

/** Controls, bidi overrides, zero-width characters, lone surrogates, private use: characters that a reader cannot see. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
const unsafe = /[<>:"|?*]/g;
const windowsDevice = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?=\.|$)/i;
/** What looks like the extension of another type and is replaced by the right one: `txt`, `heic`, but not the `30` of a time. */
const otherExtension = /^[a-z][a-z\d]{0,4}$/i;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

export function sanitizeFilename(submitted: string, type: ImageType): string {
  const component = submitted.slice(Math.max(submitted.lastIndexOf('/'), submitted.lastIndexOf('\\')) + 1);
  const clean = visibleText(shortened(component)).replaceAll(unsafe, '_');
  const { stem, extension } = splitExtension(withoutTail(clean), type);
  const trimmed = stem.replace(/^[. ]+/, '').replace(windowsDevice, '_$&');
  return `${withoutTail(cut(trimmed, extension.length + 1)) || 'image'}.${extension}`;
}

/** On one line, and without what a reader cannot see. */
export const visibleText = (text: string): string =>
  text.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(invisible, '');

/** Cuts a name of thousands of characters before any pattern runs on it, so that none takes long; keeps its extension. */
function shortened(name: string): string {
  return name.length > 600 ? name.slice(0, 512) + name.slice(-32) : name;
}

/** Removes trailing dots and spaces, which some file systems drop. Not a regular expression: it would rescan at every inner space. */
function withoutTail(name: string): string {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

function splitExtension(name: string, type: ImageType): { stem: string; extension: string } {
  const known: readonly string[] = imageExtensions[type];
  const dot = name.lastIndexOf('.');
  const given = dot < 0 ? '' : name.slice(dot + 1);
  if (known.includes(given.toLowerCase())) return { stem: name.slice(0, dot), extension: given };
  const stem = otherExtension.test(given) ? name.slice(0, dot) : name;
  return { stem, extension: known[0]! };
}

/** Cuts between graphemes, so that no accent or flag is split. */
function cut(stem: string, reserved: number): string {
  if (reserved + stem.length <= maxCharacters && reserved + Buffer.byteLength(stem) <= maxBytes) return stem;
  let [end, characters, bytes] = [0, reserved, reserved];
  for (const { segment } of graphemes.segment(stem)) {
    characters += Array.from(segment).length;
    bytes += Buffer.byteLength(segment);
    if (characters > maxCharacters || bytes > maxBytes) break;
    end += segment.length;
  }
  return stem.slice(0, end);
}
