// The dialogs that make, change and delete an album.
import type { Album } from '#api/v2/album-schemas.ts';
import { call } from '#app/api.ts';
import { plural, span } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { albumName } from '#app/pages/albums/use-albums.ts';
import { Confirm, FormDialog } from '#app/parts/dialog.tsx';
import { SelectField, TextArea, TextField } from '#app/parts/field.tsx';
import { useAction } from '#app/parts/use-action.ts';
import type { Session } from '#app/session.ts';
import { livesWithin } from '#app/uploading/expiry.tsx';

const touches = ['albums', 'uploads'];

export function CreateAlbum({
  session,
  onMade,
  onClose,
}: {
  session: Session;
  onMade: (album: Album) => void;
  onClose: () => void;
}) {
  const create = useAction(
    (form: FormData) => {
      const [title, description, life] = ['title', 'description', 'expires_in'].map((name) =>
        textOf(form, name).trim(),
      );
      return call('POST /albums', {
        body: {
          ...(title && { title }),
          ...(description && { description }),
          ...(life && { expires_in: Number(life) }),
        },
      });
    },
    { touches, quiet: true, onDone: onMade },
  );
  const cap = session.plan.max_link_seconds;
  return (
    <FormDialog
      title="Create an album"
      action="Create album"
      of={create}
      onSend={create.mutate}
      onClose={onClose}
    >
      <Words />
      <SelectField
        label="Link"
        name="expires_in"
        choices={[
          { value: '', text: cap === null ? 'Never expires' : `Expires in ${span(cap)}` },
          ...livesWithin(cap)
            .filter((seconds) => seconds !== cap)
            .map((seconds) => ({ value: String(seconds), text: `Expires in ${span(seconds)}` })),
        ]}
      />
    </FormDialog>
  );
}

const Words = ({ album }: { album?: Album }) => (
  <>
    <TextField
      label="Title"
      name="title"
      maxLength={200}
      defaultValue={album?.title ?? ''}
      placeholder="Holiday, release notes …"
    />
    <TextArea
      label="Description (optional)"
      name="description"
      maxLength={2000}
      defaultValue={album?.description ?? ''}
      hint="Shown below the title; its lines stay lines."
    />
  </>
);

export function EditAlbum({ album, onClose }: { album: Album; onClose: () => void }) {
  const edit = useAction(
    (form: FormData) =>
      call('PATCH /albums/:id', {
        id: album.id,
        body: {
          title: textOf(form, 'title').trim() || null,
          description: textOf(form, 'description').trim() || null,
        },
      }),
    { touches, quiet: true, done: 'Album changed.', onDone: onClose },
  );
  return (
    <FormDialog title="Edit the album" action="Save" of={edit} onSend={edit.mutate} onClose={onClose}>
      <Words album={album} />
    </FormDialog>
  );
}

export function DeleteAlbum({ album, onClose }: { album: Album; onClose: () => void }) {
  const remove = useAction(() => call('DELETE /albums/:id', { id: album.id }), {
    touches,
    done: 'Album deleted. Its uploads stay.',
    onDone: onClose,
  });
  return (
    <Confirm
      title={`Delete ${albumName(album)}?`}
      action="Delete the album"
      of={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Its link stops working at once, and upload links into it end. {plural(album.count, 'upload')}{' '}
        {album.count === 1 ? 'stays' : 'stay'} where {album.count === 1 ? 'it is' : 'they are'}, with{' '}
        {album.count === 1 ? 'its own link' : 'their own links'}. This cannot be undone.
      </p>
    </Confirm>
  );
}
