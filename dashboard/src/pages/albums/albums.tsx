// Albums: one link for many uploads.
import { useState } from 'react';
import type { Album } from '#api/v2/album-schemas.ts';
import { call, sameOrigin } from '#app/api.ts';
import { ago, plural } from '#app/format.ts';
import { CreateAlbum, DeleteAlbum, EditAlbum } from '#app/pages/albums/dialogs.tsx';
import { albumName } from '#app/pages/albums/use-albums.ts';
import { AnchorButton, Button, IconButton } from '#app/parts/button.tsx';
import { copy, CopyIcon } from '#app/parts/copy.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Empty } from '#app/parts/states.tsx';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import { Link } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

type Open = { what: 'create' } | { what: 'edit' | 'delete'; album: Album };

export function Albums({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const create = () => setOpen({ what: 'create' });
  const query = usePaged(['albums', 'list'], (cursor) =>
    call('GET /albums', { query: { cursor, limit: 60 } }),
  );
  return (
    <Page
      title="Albums"
      intro="One link for many pictures: a page with a viewer, and all of them as one archive."
      actions={
        <Button tone="primary" icon="plus" onClick={create} disabled={!session.verified}>
          Create an album
        </Button>
      }
    >
      <PagedList
        query={query}
        empty={
          <Empty
            icon="albums"
            title="No albums yet"
            action={
              session.verified ? (
                <Button tone="primary" icon="plus" onClick={create}>
                  Create your first album
                </Button>
              ) : (
                <VerifyFirst />
              )
            }
          >
            Make one, then select pictures on the page Uploads and move them into it.
          </Empty>
        }
      >
        {(albums) => (
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(16rem,80vw),1fr))] gap-4">
            {albums.map((album) => (
              <Card key={album.id} album={album} onOpen={(what) => setOpen({ what, album })} />
            ))}
          </ul>
        )}
      </PagedList>
      {open?.what === 'create' && (
        <CreateAlbum
          session={session}
          onMade={({ url }) => {
            close();
            void copy(url, 'link of the new album');
          }}
          onClose={close}
        />
      )}
      {open?.what === 'edit' && <EditAlbum album={open.album} onClose={close} />}
      {open?.what === 'delete' && <DeleteAlbum album={open.album} onClose={close} />}
    </Page>
  );
}

function Card({ album, onOpen }: { album: Album; onOpen: (what: 'edit' | 'delete') => void }) {
  const name = albumName(album);
  return (
    <li className="tile min-w-0 overflow-hidden card">
      <Link
        to={`/uploads?album=${album.id}`}
        aria-label={`Uploads in ${name}`}
        className="grid aspect-16/9 place-items-center overflow-hidden border-b bg-sunken text-quiet outline-offset-[-2px]"
      >
        {album.cover_url === null ? (
          <Icon name="albums" className="size-10" />
        ) : (
          <img
            src={`${sameOrigin(album.cover_url)}?width=512`}
            alt=""
            loading="lazy"
            decoding="async"
            className="size-full object-cover"
          />
        )}
      </Link>
      <div className="grid gap-2 py-3 pr-2 pl-4">
        <div className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <p dir="auto" className="truncate font-medium" title={name}>
              {name}
            </p>
            <p className="truncate text-sm text-quiet">
              {plural(album.count, 'upload')}
              {album.expires_at !== null && ` · expires ${ago(album.expires_at)}`}
            </p>
          </div>
          <CopyIcon text={album.url} what={`link of ${name}`} />
        </div>
        <div className="flex items-center gap-1">
          <AnchorButton
            small
            icon="open"
            href={sameOrigin(album.url)}
            target="_blank"
            rel="noreferrer"
            aria-label={`Page of ${name}`}
          >
            Page
          </AnchorButton>
          <IconButton icon="edit" label={`Edit ${name}`} className="ml-auto" onClick={() => onOpen('edit')} />
          <IconButton icon="trash" label={`Delete ${name}`} onClick={() => onOpen('delete')} />
        </div>
      </div>
    </li>
  );
}
