// Wires the uploads room: stores, serves and deletes images.
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Cell } from '#cell/cell.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { Browser } from '#browser/browser.ts';
import { createAlbums } from '#uploads/albums.ts';
import { createUploadEvents } from '#uploads/upload-events.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { createFileCleaner } from '#uploads/file-cleaner.ts';
import { createUploadStore } from '#uploads/store-uploads.ts';
import { createPictureMaker } from '#uploads/pictures/picture-maker.ts';
import { createUploadAccess } from '#uploads/upload-access.ts';
import { createUploadLibrary } from '#uploads/upload-library.ts';
import { createUploadLinks } from '#uploads/upload-links.ts';
import { createUploadPasswords } from '#uploads/upload-passwords.ts';
import { createVariants } from '#uploads/pictures/variants.ts';

export type UploadsRoom = ReturnType<typeof createUploadsRoom>;

export function createUploadsRoom(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  cell: Cell;
  browser: Pick<Browser, 'makePicture'>;
  reached: OnCrashPoint;
  /** Its URLs, as webhooks name them. */
  linksOf: (slug: string) => object;
  wakeWebhooks: () => void;
  /** The secret of the installation. */
  secret: string;
}) {
  const { clock } = parts;
  const events = createUploadEvents({ linksOf: parts.linksOf, wake: parts.wakeWebhooks });
  const passwords = createUploadPasswords({ clock });
  const access = createUploadAccess({ ...parts, passwords });
  const hostedUploads = createHostedUploads({ ...parts, events, access });
  const pictureMaker = createPictureMaker(parts);
  const albums = createAlbums(parts);
  const uploadLinks = createUploadLinks(parts);
  const chores: Chore[] = [
    { name: 'sweep of uploads', everyMs: seconds(15), run: hostedUploads.sweep },
    { name: 'sweep of orphaned uploads', everyMs: hours(1), run: hostedUploads.sweepOrphans },
    { name: 'sweep of albums', everyMs: hours(1), run: albums.sweep },
    { name: 'sweep of upload links', everyMs: hours(1), run: uploadLinks.sweep },
  ];
  return {
    uploadStore: createUploadStore({
      ...parts,
      cleaner: createFileCleaner(parts),
      events,
      passwords,
    }),
    hostedUploads,
    albums,
    uploadLinks,
    uploadAccess: access,
    uploadLibrary: createUploadLibrary({ ...parts, hostedUploads, passwords }),
    uploadVariants: createVariants({ ...parts, pictureMaker }),
    /** For the pictures of other rooms too. */
    pictureMaker,
    uploadBlobs: parts.blobs,
    chores,
    close: (): void => pictureMaker.close(),
  };
}
