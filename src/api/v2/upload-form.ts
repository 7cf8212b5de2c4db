// The form of an upload: one file, and fields as texts, which become the values that their schemas ask for. v2 3.
import { isUtf8 } from 'node:buffer';
import type { TObject } from 'typebox';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { tagsOf, titleOf } from '#uploads/labels.ts';
import { fileTooLarge } from '#uploads/receive-file.ts';
import { UploadFields } from '#api/v2/upload-schemas.ts';
import { hintFor } from '#http/body/field-hint.ts';
import type { FormRules } from '#http/body/upload-form.ts';
import { validate } from '#http/body/validate.ts';

/** More than the longest text, so that what is cut off is refused for its length. */
const textBytes = 2_048;

export const formOf = ({
  fields = UploadFields,
  maxBytes = limits.fileBytes,
}: { fields?: TObject; maxBytes?: number } = {}): FormRules => ({
  instead: fields === UploadFields ? ', or application/json with url' : '',
  isFile({ name, filename }, filesBefore) {
    if (name === undefined) throw invalid('body', 'there is a part without a name');
    if (name === 'file') {
      if (filename === undefined) throw invalid('file', 'must be sent as a file, with a filename');
      if (filesBefore === 1) throw invalid('file', 'there is more than one; send a request for each');
      return true;
    }
    const { properties } = fields;
    if (!Object.hasOwn(properties, name))
      throw invalid(name.slice(0, 60), `unknown field; ${hintFor(name, { file: {}, ...properties }, '')}`);
    // Some clients send a value with a binary content type, which looks like a file without a name.
    if (filename !== undefined && filename !== '')
      throw invalid(name, 'must be sent as a text, not as a file');
    return false;
  },
  limitFiles(fileBytes) {
    if (fileBytes > maxBytes) throw fileTooLarge('file', maxBytes);
  },
  textBytes,
  limitText(name, bytes) {
    if (bytes > textBytes) throw invalid(name, `longer than ${textBytes} bytes`);
  },
  textOf(name, bytes) {
    if (!isUtf8(bytes)) throw invalid(name, 'is not valid UTF-8');
    return bytes.toString();
  },
  optionsOf: (texts) => optionsOf(validate(fields, valuesOf(fields, texts))),
});

export const optionsOf = ({
  expires_in,
  filename,
  title,
  tags,
  album,
  strip_metadata,
  password,
  max_views,
}: UploadFields) => ({
  expiresInSeconds: expires_in,
  stripMetadata: strip_metadata ?? true,
  filename,
  title: title === undefined ? undefined : titleOf(title),
  tags: tagsOf(tags ?? []),
  albumId: album,
  password,
  maxViews: max_views,
});

function valuesOf({ properties }: TObject, texts: Map<string, string[]>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of texts) {
    const { type } = properties[name] as { type?: string };
    if (type !== 'array' && given.length > 1) throw invalid(name, 'given more than once');
    values[name] = type === 'array' ? given : valueOf(type, given[0] ?? '');
  }
  return values;
}

/** A text that is no value of its type stays a text, which the schema refuses. */
function valueOf(type: string | undefined, text: string): unknown {
  if (type === 'integer') return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
