// Reads a query string according to the schema of its route.
import type { FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import { validate } from '#http/body/validate.ts';

/** Strings of a query become the integers that the schema requires; everything else is validated like a body. */
export function readQuery<T extends TObject>(request: FastifyRequest, schema: T): Static<T> {
  const given = request.query as Record<string, unknown>;
  const properties = schema.properties as Record<string, { type?: string }>;
  return validate(
    schema,
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const isNumber =
          properties[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value);
        return [name, isNumber ? Number(value) : value];
      }),
    ),
  );
}
