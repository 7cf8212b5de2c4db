// Who may see an upload. Every address that shows one, or a part of one, asks `decide`. A guarded upload (a password, a number of views)
// is shown to the holder of a ticket, which a visitor gets for the right password, or for one of the views. Spec 10.11.
import { createHmac } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import { sameHash } from '#core/ids.ts';
import { resolves, type Hosted } from '#core/resolves.ts';
import type { Database } from '#storage/database.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { UploadPasswords } from '#uploads/upload-passwords.ts';

/** How long a visitor sees what was shown: enough to load the picture again, and to download it. */
export const ticketMs = 15 * 60 * 1000;

export type GuardedUpload = Pick<UploadRow, 'id' | 'password_hash' | 'views_left'>;

/** locked: the visitor may be asked, on the share page and nowhere else. */
export type Access = 'open' | 'locked' | 'gone';

export const isGuarded = ({ password_hash, views_left }: GuardedUpload): boolean =>
  password_hash !== null || views_left !== null;

/** How often visitors can be shown it in all; null for no limit. */
export const maxViewsOf = ({ views, views_left }: Pick<UploadRow, 'views' | 'views_left'>): number | null =>
  views_left === null ? null : views + views_left;

export type UploadAccess = ReturnType<typeof createUploadAccess>;

export function createUploadAccess(parts: {
  database: Database;
  clock: Clock;
  passwords: UploadPasswords;
  /** The secret of the installation. */
  secret: string;
}) {
  const { database, clock, passwords } = parts;
  const key = createHmac('sha256', parts.secret).update('tickets of uploads').digest();

  /** Without a ticket: what a stranger may see. */
  function decide(upload: GuardedUpload & Hosted, ticket?: string): Access {
    if (!resolves(upload, clock.now())) return 'gone';
    if (!isGuarded(upload) || isTicketFor(upload, ticket)) return 'open';
    return upload.views_left === 0 ? 'gone' : 'locked';
  }

  const newTicket = (upload: GuardedUpload): string => {
    const ends = (clock.now() + ticketMs).toString(36);
    return `${ends}.${signature(upload, ends)}`;
  };

  function isTicketFor(upload: GuardedUpload, ticket = ''): boolean {
    const [ends = '', given = ''] = ticket.split('.', 2);
    const isSigned = sameHash(given, signature(upload, ends));
    return isSigned && Number.parseInt(ends, 36) > clock.now();
  }

  /** The password is part of it: a visitor who was let in with an old one is asked again. */
  const signature = ({ id, password_hash }: GuardedUpload, ends: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, password_hash, ends]))
      .digest('base64url');

  return {
    decide,
    /** For its owner, who is asked for nothing; undefined if it is not guarded. */
    ticketFor: (upload: GuardedUpload): string | undefined =>
      isGuarded(upload) ? newTicket(upload) : undefined,

    /**
     * A visitor asks to see a locked upload: checks the password, then takes one of the views. The last view ends the link for all
     * who hold no ticket; the upload is still there for its owner.
     */
    async show(
      upload: GuardedUpload,
      password: string,
      networks: readonly string[],
    ): Promise<{ ticket: string } | 'wrong password' | 'gone'> {
      const { id, password_hash } = upload;
      if (password_hash !== null && !(await passwords.verify(networks, password_hash, password)))
        return 'wrong password';
      if (!(await database.tables.uploads.takeView(id, clock.now()))) return 'gone';
      return { ticket: newTicket(upload) };
    },
  };
}
