// The form of version 1: one file or a batch, and `expires_in`. Spec 4.1, 4.2.6.
import { invalid, ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { fileTooLarge } from '#uploads/receive-file.ts';
import type { FormRules } from '#http/body/upload-form.ts';

const textBytes = 256;

export const formOf = (kind: 'single' | 'batch'): FormRules => ({
  instead: '',
  isFile({ name, filename }, filesBefore) {
    // Some clients send a number with a binary content type, which looks like a file without a name.
    const isFile = filename !== undefined && !(name === 'expires_in' && filename === '');
    const refusal = refusePart(name, isFile, filesBefore, kind);
    if (refusal) throw refusal;
    return isFile;
  },
  limitFiles(fileBytes, allBytes) {
    if (kind === 'single' && fileBytes > limits.fileBytes) throw fileTooLarge();
    if (allBytes > limits.batchBytes) throw batchTooLarge();
  },
  textBytes,
  textOf: (_name, bytes) => `${bytes.toString('utf8', 0, textBytes)}${bytes.length > textBytes ? '…' : ''}`,
  optionsOf: (texts) => ({ expiresInSeconds: parseExpiresIn(texts.get('expires_in') ?? []) }),
});

function refusePart(
  name: string | undefined,
  isFile: boolean,
  filesBefore: number,
  kind: 'single' | 'batch',
): ServiceError | undefined {
  if (name === 'expires_in')
    return isFile ? invalid('expires_in', 'must be sent as a number, not as a file') : undefined;
  if (name !== 'file') return unknownPart(name);
  if (!isFile) return invalid('file', 'must be sent as a file, with a filename');
  if (kind === 'single' && filesBefore === 1) {
    return invalid('file', 'there is more than one; send several to /api/v1/upload/batch');
  }
  if (filesBefore === limits.batchFiles) {
    return new ServiceError('too_many_files', `more than ${limits.batchFiles} files in one batch.`, {
      details: { field: 'file' },
    });
  }
  return undefined;
}

/** A plain decimal integer within the contract's bounds, at most once. Spec 4.1. */
function parseExpiresIn(values: string[]): number | undefined {
  const { min, max } = limits.expiresInSeconds;
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw invalid('expires_in', 'given more than once');
  const seconds = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Number.NaN;
  if (seconds >= min && seconds <= max) return seconds;
  throw invalid(
    'expires_in',
    `must be an integer from ${min} to ${max} (seconds), not ${JSON.stringify(value)}`,
  );
}

function batchTooLarge(): ServiceError {
  return new ServiceError('batch_too_large', `together more than ${limits.batchBytes} bytes (50 MB).`, {
    details: { field: 'file' },
  });
}

function unknownPart(name: string | undefined): ServiceError {
  const shown = name === undefined ? 'a part without a name' : JSON.stringify(name.slice(0, 60));
  return invalid('body', `${shown} is not known; the form has "file" and "expires_in"`);
}
