// The endpoints of what an account has many of, such as albums: list, read, make, change and delete. console/contract.ts has those of
// the dashboard.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import { notFound } from '#core/errors.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { sendJson } from '#api/v2/send-json.ts';
import { sendAnswer } from '#http/answer.ts';
import { readJson } from '#http/body/json-body.ts';
import { validate, validateGiven } from '#http/body/validate.ts';
import { callerOf } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { readQuery } from '#http/query.ts';

/** What is read by a schema is `never` here: each resource says what its schemas make. */
export interface Resource<Row> {
  query: TObject;
  list(caller: Caller, query: never): Promise<{ items: Row[]; nextCursor: string | null }>;
  find(caller: Caller, id: string): Promise<Row | undefined>;
  /** False if there is none. */
  remove(caller: Caller, id: string): Promise<boolean>;
  view(row: Row): object;
}

export function resourceHandlers<Row>({ query, list, find, remove, view }: Resource<Row>) {
  return {
    async list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { items, nextCursor } = await list(callerOf(request), readQuery(request, query) as never);
      return sendJson(reply, { items: items.map((row) => view(row)), next_cursor: nextCursor });
    },
    async read(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      return show(reply, view, await find(callerOf(request), idOf(request)));
    },
    async remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const id = idOf(request);
      if (!(await remove(callerOf(request), id))) throw notFound();
      return sendJson(reply, { id, deleted: true });
    },
  };
}

/** `create` runs in the transaction with which its answer is remembered. */
export const createHandler =
  <Input extends TObject>(
    { database, idempotency }: { database: Database; idempotency: Idempotency },
    input: Input,
    create: (tables: Tables, caller: Caller, given: Static<Input>) => Promise<object>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = validate(input, await readJson(request.raw));
    const caller = callerOf(request);
    const answer = await idempotency.once(request, reply, given, (remember) =>
      database.transactionOf(caller.accountId, async (tables) => {
        const made = { status: 201, headers: {}, body: await create(tables, caller, given) };
        await remember?.(tables, made);
        return made;
      }),
    );
    return sendAnswer(request, reply, answer);
  };

export const changeHandler =
  <Changes extends TObject, Row>(
    changes: Changes,
    change: (caller: Caller, id: string, changes: Static<Changes>) => Promise<Row | undefined>,
    view: (row: Row) => object,
    options?: { holdsSecrets: boolean },
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = validateGiven(changes, await readJson(request.raw, options));
    return show(reply, view, await change(callerOf(request), idOf(request), given));
  };

export function show<Row>(
  reply: FastifyReply,
  view: (row: Row) => object,
  row: Row | undefined,
): FastifyReply {
  if (row === undefined) throw notFound();
  return sendJson(reply, view(row));
}

export const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;
