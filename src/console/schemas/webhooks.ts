// Schemas of the webhooks page.
import { Type } from 'typebox';
import { webhookEvents } from '#storage/schema.ts';
import { choice, object, pageQuery } from '#api/common-schemas.ts';

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'An https address that is reachable from the Internet.',
});
const events = Type.Array(choice(webhookEvents), {
  minItems: 1,
  maxItems: webhookEvents.length,
  description: 'What the endpoint is told of, at least one.',
});

export const AddEndpoint = object({ url, events });
export const ChangeEndpoint = object({
  url: Type.Optional(url),
  events: Type.Optional(events),
  enabled: Type.Optional(Type.Boolean()),
});
export const DeliveriesQuery = object({
  ...pageQuery,
  endpoint_id: Type.Optional(Type.String({ maxLength: 40 })),
  state: Type.Optional(choice(['waiting', 'delivered', 'failed'])),
});
