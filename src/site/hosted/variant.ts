// The variant of a picture that a request asks for with `width` and `format`, in those addresses that serve pictures. v2 3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, notFound, ServiceError } from '#core/errors.ts';
import type { Asker, Variants } from '#uploads/pictures/variants.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { acceptedNames } from '#http/encodings.ts';
import { addressSubject, networksOf, type Guards } from '#http/guards.ts';
import { asksForVariant } from '#http/route.ts';
import {
  isDecoded,
  variantFormats,
  variantWidths,
  type Original,
  type VariantWidth,
} from '#uploads/pictures/variant.ts';

/** An album shows a thousand, most of them small enough to be shown as they are. What is made already costs nothing. */
export const newVariantsPerMinute = 60;

/**
 * What `sendBlob` sends of it; null if the request asks for the original, or the original is the best answer. Without a `format`, it is so
 * too where the variant cannot be made, or not now: the `srcset` of a page asks like this, and browsers show nothing in place of one that
 * fails.
 */
export async function variantFor(
  request: FastifyRequest,
  reply: FastifyReply,
  { variants, guards }: { variants: Variants; guards: Guards },
  original: Original,
) {
  if (!asksForVariant(request.query)) return null;
  const { width, format } = request.query as Record<string, unknown>;
  const wanted = { width: readWidth(width), format: readFormat(format), acceptsWebp: acceptsWebp(request) };
  if (wanted.format === 'auto' && isDecoded(original.contentType)) reply.header('vary', 'accept');
  const made = await variants
    .get(original, wanted, visitor(request, reply, guards))
    .catch((error: unknown) => {
      if (wanted.format === 'auto' && error instanceof ServiceError) return null;
      throw error;
    });
  if (made === undefined) throw notFound();
  return (
    made && {
      id: made.key,
      content_type: made.contentType,
      size_bytes: made.sizeBytes,
      sha256: made.sha256,
      created_at: made.createdAt,
      format: made.format,
    }
  );
}

/** Variants that have to be made wait in the line of the client, and count against its address. */
export const visitor = (request: FastifyRequest, reply: FastifyReply, guards: Guards): Asker => ({
  networks: ['visitors', ...networksOf(request.ip)],
  signal: hangUpSignal(request, reply),
  count: () => guards.refuseAbove(reply, `variants ${addressSubject(request.ip)}`, newVariantsPerMinute),
});

function readWidth(text: unknown): VariantWidth | undefined {
  const width = variantWidths.find((candidate) => String(candidate) === text);
  if (text !== undefined && width === undefined)
    throw invalid('width', `must be one of ${variantWidths.join(', ')}`);
  return width;
}

function readFormat(text: unknown = 'auto'): (typeof variantFormats)[number] {
  const format = variantFormats.find((candidate) => candidate === text);
  if (format === undefined) throw invalid('format', `must be one of ${variantFormats.join(', ')}`);
  return format;
}

/** By name only: old browsers ask for any type and do not know this one. */
const acceptsWebp = (request: FastifyRequest): boolean =>
  acceptedNames(request.headers.accept).includes('image/webp');
