// GET /api/v2/usage: what the account has used, and how much is left. Spec 10.9.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { MeteringRoom } from '#metering/room.ts';
import type { Usage } from '#api/v2/upload-schemas.ts';
import { sendJson } from '#api/v2/send-json.ts';
import { monthUsage, type UnitUsage } from '#api/month-usage.ts';
import { callerOf } from '#http/guards.ts';

interface UsageParts {
  clock: Clock;
  database: Database;
  metering: Pick<MeteringRoom, 'admission'>;
}

export function usage({ clock, database, metering }: UsageParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = callerOf(request);
    const { month, resets_at, units } = await monthUsage(
      database,
      caller.accountId,
      caller.plan,
      clock.now(),
    );
    const { limit, remaining, resetSeconds } = await metering.admission.peek(caller);
    const { leases, queued } = await database.tables.renderLeases.live(caller.accountId, clock.now());
    const answer: Usage = {
      month,
      resets_at,
      upload: shown(units.upload),
      render: shown(units.render),
      requests: { limit, remaining, reset: resetSeconds },
      renders: { running: leases, queued, cap: caller.plan.concurrent_renders },
    };
    return sendJson(reply, answer);
  };
}

const shown = ({ used, limit, percent, overage }: UnitUsage) => ({ used, limit, percent, overage });
