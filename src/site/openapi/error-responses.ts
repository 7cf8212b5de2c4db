// The error responses of the document: one for each status of an operation, naming its codes. Responses that several operations share
// are described once, under components.
import { errorTable, type ErrorCode } from '#core/errors.ts';
import { reference } from '#site/openapi/content.ts';
import { answers } from '#site/openapi/examples.ts';
import { budgetHeaders, headerRefs, type Json } from '#site/openapi/headers.ts';

const extraHeaders: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  402: ['x-service-quota-limit', 'x-service-quota-remaining'],
  405: ['Allow'],
  429: ['Retry-After'],
};

const batchStatuses = [402, 413, 415, 422, 500];

/** How a version shows an error in an example. */
type ExampleOf = (code: ErrorCode) => object;
const firstExample: ExampleOf = (code) => ({ error: { code, message: errorTable[code].example } });

export function createErrorResponses(exampleOf = firstExample) {
  /** What the references lead to: complete when all operations have been described. */
  const shared: Record<string, Json> = {};

  function describe(codes: ErrorCode[], batch: boolean): Json {
    const status = errorTable[codes[0] ?? 'internal'].status;
    const isBatchBody = batch && batchStatuses.includes(status);
    const name = `${isBatchBody ? 'batch_' : ''}${codes.join('_or_')}`;
    const examples = {
      ...Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      ...(isBatchBody && status === 415 && { 'every file failed': { value: answers.batchFailed } }),
    };
    shared[name] = {
      description: codes.map((code) => `\`${code}\``).join(' or '),
      headers: headerRefs([...budgetHeaders, ...(extraHeaders[status] ?? [])]),
      content: {
        'application/json': {
          schema: isBatchBody
            ? { anyOf: [reference('ErrorEnvelope'), reference('BatchResult')] }
            : reference('ErrorEnvelope'),
          examples,
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    shared,
    forCode: (code: ErrorCode): Json => describe([code], false),
    /** By status. `batch`: a batch in which every file failed still has the batch body. */
    forCodes(codes: ErrorCode[], batch = false): Json {
      const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
      return Object.fromEntries([...byStatus].map(([status, group]) => [status, describe(group, batch)]));
    },
  };
}
