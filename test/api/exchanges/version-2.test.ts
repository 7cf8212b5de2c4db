// The recorded exchanges of version 2 (test/fixtures/exchanges-v2/) are what they were, and every operation of its document is among them.
// `npm run document -- exchanges` records a change that is meant.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openapiV2Path } from '#scripts/document.ts';
import { corpusNamesOf, readCorpus, stepsOf } from '#test/support/exchanges/exchange.ts';
import { testExchanges } from '#test/support/exchanges/suite.ts';

testExchanges(2);

interface Operation {
  parameters?: { in?: string }[];
  requestBody?: object;
  responses: Record<string, unknown>;
}

/** The document says these of every operation, and no request can cause them here. */
function isImpossible(path: string, { parameters = [], requestBody }: Operation, status: string): boolean {
  const takesFields = requestBody !== undefined || parameters.some((parameter) => parameter.in === 'query');
  // What is read alone does not fail, and a key of every scope reads the usage.
  return (
    status === '500' || (status === '422' && !takesFields) || (status === '403' && path === '/api/v2/usage')
  );
}

test('10 every operation of the document has a recorded exchange for each of its statuses', () => {
  const { paths } = JSON.parse(readFileSync(openapiV2Path, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const recorded = corpusNamesOf(2).flatMap((name) => {
    const { request: usual, sequences } = readCorpus(2, name);
    return sequences
      .flatMap(stepsOf)
      .map(({ request, answer }) => ({ ...usual, ...request, status: String(answer?.status) }));
  });
  const missing = Object.entries(paths).flatMap(([path, operations]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
    const here = recorded.filter((exchange) => pattern.test(exchange.path));
    return Object.entries(operations).flatMap(([method, operation]) =>
      Object.keys(operation.responses)
        .filter((status) => !isImpossible(path, operation, status))
        .filter((status) => {
          // A 405 is the answer to another method.
          const isOfMethod = (other: string) => status === '405' || other === method.toUpperCase();
          return !here.some((exchange) => isOfMethod(exchange.method) && exchange.status === status);
        })
        .map((status) => `${method.toUpperCase()} ${path}: ${status}`),
    );
  });
  assert.ok(Object.keys(paths).length > 10);
  assert.deepEqual(missing, []);
});
