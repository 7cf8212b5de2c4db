// Recorded exchanges with the service: what the files in test/fixtures/exchanges-v1/ and exchanges-v2/ hold, one set for each version of
// the interface, and how they are read and written.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The versions of the interface; each has a set. */
export const versions = [1, 2] as const;
export type Version = (typeof versions)[number];

/** The exchanges of one endpoint or one part of the contract. */
export interface Corpus {
  /** What a request has if it does not say otherwise. */
  request: Request;
  /** Headers of several answers, by the name that these answers have for them. */
  headers: Record<string, Headers>;
  sequences: Sequence[];
}

/** One exchange of a new account, or several, one after the other. */
export type Sequence = Circumstances & (Step | { steps: Step[] });

interface Circumstances {
  name: string;
  account?: Account;
  /** The database refuses every transaction. */
  is_broken?: true;
}

export interface Account {
  plan?: string;
  overages?: boolean;
  scope?: 'uploads' | 'renders';
  key_seconds?: number;
  /** Something else holds one of its capture slots. */
  is_rendering?: true;
  state?: 'revoked' | 'suspended' | 'unverified';
}

export interface Step {
  after_seconds?: number;
  /** How often the request is sent; the answer is the last one. */
  times?: number;
  request: Partial<Request>;
  /** Absent until it is recorded. */
  answer?: Answer;
}

/** Texts may contain names of values from earlier answers (`<slug>`) and of contents (`<png>`, `<a × 70000>`). */
export interface Request {
  /** The site, which tells what it has received, instead of the service. */
  of?: 'site';
  method: string;
  path: string;
  /** Null takes away one that requests usually have. */
  headers: Record<string, string | null>;
  json?: unknown;
  text?: string;
  latin1?: string;
  form?: Part[];
}

export interface Part {
  name: string;
  filename?: string;
  content: string;
}

type Headers = Record<string, string>;

/** With one of `body` (JSON), `text` and `bytes`, or none of them. What differs each time has the form `<id>`. */
export interface Answer {
  status: number;
  headers: Headers | string;
  body?: unknown;
  text?: string | string[];
  bytes?: string;
}

const folderOf = (version: Version): string =>
  join(import.meta.dirname, '../../fixtures', `exchanges-v${version}`);
const isCorpus = (name: string): boolean => name.endsWith('.json') && name !== 'plans.json';

export const plansFileOf = (version: Version): string => join(folderOf(version), 'plans.json');
export const corpusNamesOf = (version: Version): string[] =>
  readdirSync(folderOf(version)).filter(isCorpus).sort();

export const stepsOf = (sequence: Sequence): Step[] => ('steps' in sequence ? sequence.steps : [sequence]);

export function readCorpus(version: Version, name: string): Corpus {
  const corpus = JSON.parse(readFileSync(join(folderOf(version), name), 'utf8')) as Corpus;
  for (const { answer } of corpus.sequences.flatMap(stepsOf))
    if (typeof answer?.headers === 'string') answer.headers = corpus.headers[answer.headers]!;
  return corpus;
}

/** Headers that more than two answers have get a name: their status and, from the second on, a number. */
export function writeCorpus(version: Version, name: string, corpus: Corpus): void {
  const answers = corpus.sequences.flatMap(stepsOf).map(({ answer }) => answer!);
  const byHeaders = Map.groupBy(answers, ({ status, headers }) => JSON.stringify([status, headers]));
  const named: Record<string, Headers> = {};
  for (const [{ status, headers }, ...others] of byHeaders.values() as Iterable<[Answer, ...Answer[]]>) {
    if (others.length < 2) continue;
    const earlier = Object.keys(named).filter((title) => title.startsWith(String(status))).length;
    const title = earlier === 0 ? String(status) : `${status} (${earlier + 1})`;
    named[title] = headers as Headers;
    for (const answer of byHeaders.get(JSON.stringify([status, headers]))!) answer.headers = title;
  }
  writeFileSync(join(folderOf(version), name), `${layOut({ ...corpus, headers: named })}\n`);
}

const lineLength = 230;

/** As JSON, with short values on one line. */
export function layOut(value: unknown, indent = '', before = 0): string {
  const line = JSON.stringify(value, null, 1)?.replace(/\n */g, ' ') ?? 'null';
  if (typeof value !== 'object' || value === null || indent.length + before + line.length <= lineLength)
    return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  const lines = entries.map(([name, entry]) => {
    const title = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `;
    return inner + title + layOut(entry, inner, title.length);
  });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
