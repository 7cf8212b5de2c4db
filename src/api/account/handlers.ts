// GET /api/account/uploads, /renders and /usage: what an API key can read about its own account. They are outside /api/v1/, whose
// paths are fixed by the contract. They cost one request of the account's budget and no unit.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { MeteringRoom } from '#metering/room.ts';
import { listUploads } from '#api/account/list-uploads.ts';
import { listAccountRenders } from '#api/account/renders.ts';
import { RendersQuery, UploadsQuery } from '#api/account/queries.ts';
import { monthUsage } from '#api/month-usage.ts';
import { isoTimeOrNull } from '#api/common-views.ts';
import { uploadOf } from '#api/v2/uploads.ts';
import { callerOf } from '#http/guards.ts';
import type { Addresses } from '#http/addresses.ts';
import { readQuery } from '#http/query.ts';

interface AccountParts {
  clock: Clock;
  database: Database;
  settings: Addresses;
  metering: Pick<MeteringRoom, 'admission'>;
}

export function accountHandlers({ clock, database, settings, metering }: AccountParts) {
  const answer =
    (read: (owned: Owned, caller: Caller, request: FastifyRequest) => Promise<object>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = callerOf(request);
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      return reply.send(await read(database.tables.ownedBy(caller.accountId), caller, request));
    };

  return {
    uploads: answer(async (owned, _caller, request) =>
      listUploads((row) => uploadView(settings, row), owned, readQuery(request, UploadsQuery), clock.now()),
    ),

    renders: answer(async (owned, _caller, request) =>
      listAccountRenders(settings, owned, readQuery(request, RendersQuery), clock.now()),
    ),

    usage: answer(async (owned, caller) => {
      const { accountId, keyId, plan, mayOverrun, overageCap } = caller;
      const { limit, remaining, resetSeconds } = await metering.admission.peek(caller);
      const key = await owned.keys.byId(keyId ?? '');
      const month = await monthUsage(database, accountId, plan, clock.now());
      // The fields of this interface are fixed.
      const { queued_renders: _queued, ...shownPlan } = month.plan;
      return {
        ...month,
        plan: shownPlan,
        overages: { enabled: mayOverrun, cap: overageCap },
        requests: { limit, remaining, reset_seconds: resetSeconds },
        key: key && {
          id: key.id,
          name: key.name,
          scope: key.scope,
          expires_at: isoTimeOrNull(key.expires_at),
        },
      };
    }),
  };
}

/** What version 2 shows of an upload, in the fields of this interface, which are fixed. */
function uploadView(addresses: Addresses, row: UploadRow) {
  const { id, slug, url, file_url, filename, content_type, size_bytes, ...view } = uploadOf(addresses, row);
  const { width, height, created_at, expires_at } = view;
  const kept = { id, slug, url, file_url, filename, content_type, size_bytes, width, height };
  return { ...kept, created_at, expires_at, key_id: row.key_id };
}
