// Cleans and measures one file: an SVG loses its scripts, a picture its metadata. Runs in the cell.
import type { Made } from '#cell/work.ts';
import { readDimensions, type SizeFacts } from '#uploads/dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { metadataKinds, type MetadataKind } from '#uploads/metadata/cleaning.ts';
import { cleanPicture } from '#uploads/metadata/remove-metadata.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';

export interface CleanFacts extends SizeFacts {
  /** Kinds of metadata, in the order in which a response lists them. */
  removed: MetadataKind[];
}

/** Makes no bytes if there was nothing to remove. What was made of a picture is read again: nothing may be left in it. */
export function cleanFile(sent: Buffer, { type }: { type: ImageType }): Made<CleanFacts> {
  const { bytes, removed } = clean(sent, type);
  return { bytes, facts: { removed, dimensions: readDimensions(type, bytes ?? sent) } };
}

function clean(sent: Buffer, type: ImageType): { bytes?: Buffer; removed: MetadataKind[] } {
  if (type === 'image/svg+xml') return { bytes: sanitizeSvg(sent), removed: [] };
  const { pieces, isChanged, found } = cleanPicture(type, sent);
  if (!isChanged) return { removed: [] };
  const bytes = Buffer.concat(pieces);
  const left = cleanPicture(type, bytes);
  if (left.isChanged) throw new Error(`metadata was left: ${[...left.found].join(', ')}`);
  return { bytes, removed: metadataKinds.filter((kind) => found.has(kind)) };
}
