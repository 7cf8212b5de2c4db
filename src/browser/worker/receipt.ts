// Reads the receipt of a render, its failure, or a complaint of the browser. A worker is trusted less than the service, because it opens
// strangers' pages: whatever it says is checked and cut before anything else uses it. The worker cuts by the same rules before it sends,
// because a page chooses how long its addresses are, and a line that is too long ends the worker.
import {
  maxWarnings,
  warningCodes,
  type PageReceipt,
  type PictureChange,
  type Warning,
} from '#browser/browser.ts';
import { declineReasons, type DeclineReason } from '#browser/picture-job.ts';
import type { Failed, Receipt } from '#browser/worker/messages.ts';

/** As for the largest PDF. */
const maxBytes = 256 * 1024 ** 2;
const maxOutputs = 5;
const maxCharacters = {
  url: 2_048,
  title: 1_000,
  message: 500,
  failure: 1_000,
  cause: 2_000,
  complaint: 300,
};

export function readReceipt(given: unknown): Receipt {
  const { outputs, page } = given as Receipt;
  if (!Array.isArray(outputs) || outputs.length === 0 || outputs.length > maxOutputs) throw refused();
  return { outputs: outputs.map(readOutput), page: readPage(page) };
}

export const readFailed = ({ message, cause, warnings, ...rest }: Failed): Failed => ({
  ...rest,
  warnings: warnings && readWarnings(warnings),
  message: cut(message, maxCharacters.failure),
  cause: cut(cause, maxCharacters.cause),
});

export function readDeclined(reason: DeclineReason): DeclineReason {
  if (!declineReasons.includes(reason)) throw refused();
  return reason;
}

export const readComplaint = (line: string): string => cut(line, maxCharacters.complaint);

function readOutput(given: Receipt['outputs'][number]): Receipt['outputs'][number] {
  const { sizeBytes, sha256, width, height, pages, truncated, change } = given;
  if (!isCount(sizeBytes) || sizeBytes > maxBytes || !/^[0-9a-f]{64}$/.test(sha256)) throw refused();
  if (![width, height, pages].every((count) => count === null || isCount(count))) throw refused();
  if (typeof truncated !== 'boolean') throw refused();
  const changed = change === undefined ? {} : { change: readChange(change) };
  return { sizeBytes, sha256, width, height, pages, truncated, ...changed };
}

function readChange({ difference, box }: PictureChange): PictureChange {
  if (typeof difference !== 'number' || !(difference >= 0 && difference <= 1)) throw refused();
  if (box === null) return { difference, box };
  const { x, y, width, height } = box;
  if (![x, y, width, height].every(isCount)) throw refused();
  return { difference, box: { x, y, width, height } };
}

function readPage({ finalUrl, status, title, width, height, warnings }: PageReceipt): PageReceipt {
  if (![status, width, height].every((count) => count === null || isCount(count))) throw refused();
  return {
    finalUrl: finalUrl === null ? null : cut(finalUrl, maxCharacters.url),
    status,
    title: cut(title, maxCharacters.title),
    width,
    height,
    warnings: readWarnings(warnings),
  };
}

function readWarnings(given: Warning[]): Warning[] {
  if (!Array.isArray(given)) throw refused();
  return given.slice(0, maxWarnings).map(readWarning);
}

function readWarning({ code, message, url }: Warning): Warning {
  if (!warningCodes.includes(code)) throw refused();
  return {
    code,
    message: cut(message, maxCharacters.message),
    url: url === null ? null : cut(url, maxCharacters.url),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Postgres refuses U+0000 in text. */
function cut(text: unknown, characters: number): string {
  if (typeof text !== 'string') throw refused();
  return text.slice(0, characters).replaceAll('\0', '').toWellFormed();
}

const refused = (): Error => new Error('the receipt of a render is not valid');
