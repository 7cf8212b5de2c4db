// Upload links: addresses through which others upload for the account.
import { useState } from 'react';
import type { UploadLink } from '#api/v2/album-schemas.ts';
import { limits } from '#core/limits.ts';
import { call } from '#app/api.ts';
import { ago, bytes, number, plural, span } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { albumChoices, albumName, useAlbums } from '#app/pages/albums/use-albums.ts';
import { Button } from '#app/parts/button.tsx';
import { Confirm, FormDialog } from '#app/parts/dialog.tsx';
import { SelectField, TextField } from '#app/parts/field.tsx';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { ShownOnce } from '#app/parts/shown-once.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import { Link } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

type Open = { what: 'create' } | { what: 'end'; link: UploadLink };

const touches = ['upload-links'];
const lives = [3_600, 86_400, 604_800, 2_592_000];

export function UploadLinks({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const create = () => setOpen({ what: 'create' });
  const query = usePaged(touches, (cursor) => call('GET /upload-links', { query: { cursor, limit: 50 } }));
  return (
    <Page
      title="Upload links"
      intro="An address where people without an account drop pictures for you. What they send uses your quota."
      actions={
        <Button tone="primary" icon="plus" onClick={create} disabled={!session.verified}>
          Create an upload link
        </Button>
      }
    >
      <PagedList
        query={query}
        empty={
          <Empty
            icon="upload"
            title="No upload links"
            action={
              session.verified ? (
                <Button tone="primary" icon="plus" onClick={create}>
                  Create an upload link
                </Button>
              ) : (
                <VerifyFirst />
              )
            }
          >
            Send one to somebody whose pictures you want. It takes as many files as you say and then ends.
          </Empty>
        }
      >
        {(links) => (
          <ul className="card divide-y divide-line" aria-label="Upload links">
            {links.map((link) => (
              <Row key={link.id} link={link} onEnd={() => setOpen({ what: 'end', link })} />
            ))}
          </ul>
        )}
      </PagedList>
      {open?.what === 'create' && <Create onClose={close} />}
      {open?.what === 'end' && <End link={open.link} onClose={close} />}
    </Page>
  );
}

const nameOf = ({ title }: UploadLink): string => title ?? 'Upload link';

function Row({ link, onEnd }: { link: UploadLink; onEnd: () => void }) {
  const album = useAlbums().find(({ id }) => id === link.album);
  const isUsedUp = link.used_files >= link.max_files;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="font-medium wrap-anywhere">
            {nameOf(link)}
          </span>
          {isUsedUp && <Chip>Used up</Chip>}
        </p>
        <p className="mt-0.5 text-sm text-quiet tabular-nums">
          {number(link.used_files)} of {plural(link.max_files, 'file')}
          {link.used_files > 0 && ` · ${bytes(link.used_bytes)}`}
          {link.max_bytes < limits.fileBytes && ` · each up to ${bytes(link.max_bytes)}`} · ends{' '}
          {ago(link.expires_at)}
          {album && (
            <>
              {' '}
              · into{' '}
              <Link to={`/uploads?album=${album.id}`} className="underline">
                {albumName(album)}
              </Link>
            </>
          )}
        </p>
      </div>
      <Button small tone="remove" aria-label={`End ${nameOf(link)}`} onClick={onEnd}>
        End
      </Button>
    </li>
  );
}

function Create({ onClose }: { onClose: () => void }) {
  const albums = useAlbums();
  const create = useAction(
    (form: FormData) => {
      const [title, album] = [textOf(form, 'title').trim(), textOf(form, 'album')];
      return call('POST /upload-links', {
        body: {
          ...(title && { title }),
          ...(album && { album }),
          max_files: Number(textOf(form, 'max_files')),
          expires_in: Number(textOf(form, 'expires_in')),
        },
      });
    },
    { touches, quiet: true },
  );
  if (create.data)
    return (
      <ShownOnce
        title="Your upload link"
        what="Address"
        secret={create.data.url ?? ''}
        advice="This is the only time it is shown. Copy it now and send it to whom it is for: whoever has it can upload."
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="Create an upload link"
      action="Create the link"
      of={create}
      onSend={create.mutate}
      onClose={onClose}
    >
      <TextField
        label="Title"
        name="title"
        maxLength={200}
        placeholder="Pictures of the party"
        hint="People see it above the place to drop files."
      />
      <TextField
        label="Files at most"
        name="max_files"
        type="number"
        required
        min={1}
        max={1000}
        defaultValue={10}
      />
      <SelectField
        label="Ends in"
        name="expires_in"
        defaultValue="86400"
        choices={lives.map((seconds) => ({ value: String(seconds), text: span(seconds) }))}
      />
      {albums.length > 0 && (
        <SelectField
          label="Into the album"
          name="album"
          choices={[{ value: '', text: 'None' }, ...albumChoices(albums)]}
        />
      )}
    </FormDialog>
  );
}

function End({ link, onClose }: { link: UploadLink; onClose: () => void }) {
  const end = useAction(() => call('DELETE /upload-links/:id', { id: link.id }), {
    touches,
    done: 'Upload link ended.',
    onDone: onClose,
  });
  return (
    <Confirm
      title={`End ${nameOf(link)}?`}
      action="End it"
      of={end}
      onConfirm={() => end.mutate(undefined)}
      onClose={onClose}
    >
      <p>Nobody can upload through it any more. What was uploaded stays. This cannot be undone.</p>
    </Confirm>
  );
}
