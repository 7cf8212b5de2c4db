// Checks a response against the contract: the error table of docs/contract.md, the envelope, the headers, and
// the OpenAPI document that the service publishes. Spec 2.5, 7, 8, 9.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';

export interface ContractError {
  code: string;
  status: number;
  retryable: boolean;
  /** Endpoints below /api/v1/. */
  endpoints: string[];
}

export const endpoints = ['upload', 'upload/batch', 'screenshot', 'pdf'];

/** The table of Spec 7, which is written by hand: the code is compared with it. */
export const contractErrors: ContractError[] = [
  ...readFileSync(join(import.meta.dirname, '../../docs/contract.md'), 'utf8').matchAll(
    /^\| `(?<code>\w+)` \| (?<status>\d{3}) \| (?<retry>yes|no) \|.*\| (?<where>[a-z, ]*)\|$/gm,
  ),
].map(({ groups: { code = '', status, retry, where = '' } = {} }) => ({
  code,
  status: Number(status),
  retryable: retry === 'yes',
  endpoints: endpointsOf(where.trim()),
}));

function endpointsOf(where: string): string[] {
  if (where === '') return [];
  if (where === 'everywhere' || where === 'metered endpoints') return endpoints;
  return where.split(', ').map((name) => (name === 'batch' ? 'upload/batch' : name));
}

const statusOf = new Map(contractErrors.map(({ code, status }) => [code, status]));

const budgetHeaders = ['limit', 'remaining', 'reset'].map((name) => `x-service-ratelimit-${name}`);
const spentQuotaHeaders = ['x-service-quota-limit', 'x-service-quota-remaining'];
/** The response to bytes that are not a valid request; see docs/errors.md. */
const unreadableStatuses = [400, 408, 431];

interface Promised {
  description: string;
  headers: Record<string, { schema: object }>;
  content: Record<string, { schema: object }>;
}

export interface OpenapiDocument {
  openapi: string;
  info: { version: string };
  paths: Record<string, Partial<Record<'get' | 'post', { responses: Record<string, Promised> }>>>;
  components: {
    schemas: { ErrorEnvelope: { properties: { error: { properties: { code: { enum: string[] } } } } } };
  };
}

export interface Asked {
  method: string;
  path: string;
  /** True if the bytes sent are possibly not HTTP. */
  isUnreadable?: boolean;
}

export interface Answered {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

export type Contract = ReturnType<typeof createContract>;

/** The document with its shared headers and responses inlined; schemas stay references. */
export function resolveShared(document: OpenapiDocument): OpenapiDocument {
  const text = JSON.stringify(document, (_name, value: unknown) => {
    const path = (value as { $ref?: string } | null)?.$ref?.split('/').slice(1) ?? [];
    if (!['headers', 'responses'].includes(path[1] ?? '')) return value;
    return path.reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document);
  });
  return JSON.parse(text) as OpenapiDocument;
}

export function createContract(given: OpenapiDocument) {
  const document = resolveShared(given);
  const compiled = new Map<object, ReturnType<typeof Compile>>();

  function schemaFaults(schema: object, value: unknown): string[] {
    const known = compiled.get(schema) ?? Compile({ components: document.components, ...schema });
    compiled.set(schema, known);
    if (known.Check(value)) return [];
    return known.Errors(value)[1].map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  }

  /** Everything that is wrong with a response; an empty list if it follows the contract. */
  function faultsOf(asked: Asked, { status, headers, body }: Answered): string[] {
    const path = asked.path.split('?', 1)[0] ?? '';
    const faults = status >= 500 ? [`status ${status}`] : [];
    if (!/^\w{20}$/.test(headers['x-request-id'] ?? '')) faults.push('no x-request-id');
    if (/^\/api(\/|$)/.test(path)) faults.push(...missingNumbers(budgetHeaders, headers));
    if (status === 429) faults.push(...missingNumbers(['retry-after'], headers));
    if (status === 402) faults.push(...missingNumbers(spentQuotaHeaders, headers));
    const hasBody = asked.method !== 'HEAD' && status !== 304;
    const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
    const json = hasBody && isJson ? parse(body) : undefined;
    const promises = document.paths[path]?.post?.responses;
    if (asked.isUnreadable && unreadableStatuses.includes(status)) {
      return [...faults, ...envelopeFaults(json, (code) => code === 'validation_error')];
    }
    if (promises) faults.push(...promiseFaults(promises[status], headers, json, hasBody));
    else if (status >= 400 && status !== 416 && hasBody && !headers['content-type']?.startsWith('text/html'))
      faults.push(...envelopeFaults(json, (code) => statusOf.get(code) === status));
    const { code } = (json as { error?: { code?: string } } | undefined)?.error ?? {};
    if (code !== undefined && statusOf.get(code) !== status) faults.push(`${code} with ${status}`);
    return faults;
  }

  function promiseFaults(
    promised: Promised | undefined,
    headers: Record<string, string>,
    json: unknown,
    hasBody: boolean,
  ): string[] {
    if (!promised) return ['a status that the document does not have'];
    const faults: string[] = [];
    const declared = new Map(
      Object.entries(promised.headers).map(([name, { schema }]) => [name.toLowerCase(), schema]),
    );
    for (const [name, value] of Object.entries(headers)) {
      const isOfContract = name.startsWith('x-service-') || name === 'retry-after';
      const schema = declared.get(name);
      if (isOfContract && !schema) faults.push(`${name} is not in the document`);
      if (schema)
        faults.push(...schemaFaults(schema, headerValue(schema, value)).map((f) => `${name}: ${f}`));
    }
    if (!hasBody) return faults;
    const type = (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const content = promised.content[type];
    if (!content) return [...faults, `content type "${type}" is not in the document`];
    return type === 'application/json' ? [...faults, ...schemaFaults(content.schema, json)] : faults;
  }

  return { faultsOf };
}

function missingNumbers(names: string[], headers: Record<string, string>): string[] {
  return names.filter((name) => !/^\d+$/.test(headers[name] ?? '')).map((name) => `${name} is missing`);
}

/** Exactly these two members, and no others. */
function envelopeFaults(json: unknown, isRight: (code: string) => boolean): string[] {
  const { error } = (json ?? {}) as { error?: { code?: unknown; message?: unknown } };
  const isEnvelope =
    Object.keys(json ?? {}).join() === 'error' &&
    Object.keys(error ?? {}).join() === 'code,message' &&
    typeof error?.code === 'string' &&
    typeof error.message === 'string';
  if (!isEnvelope) return [`not the error envelope: ${JSON.stringify(json)?.slice(0, 200)}`];
  return isRight(String(error?.code)) ? [] : [`code ${String(error?.code)} does not go with the status`];
}

function headerValue(schema: object, text: string): unknown {
  return (schema as { type?: string }).type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
