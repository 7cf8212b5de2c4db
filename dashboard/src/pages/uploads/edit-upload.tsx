// The dialog that changes what an upload is called, where it is and who may see it.
import type { BodyOf } from '#console/contract.ts';
import type { Upload } from '#console/views.ts';
import { call } from '#app/api.ts';
import { number } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { albumChoices, useAlbums } from '#app/pages/albums/use-albums.ts';
import { mostViews } from '#app/pages/uploads/views-used-up.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { Checkbox, SelectField, TextField } from '#app/parts/field.tsx';
import { useAction } from '#app/parts/use-action.ts';

export function EditUpload({ upload, onClose }: { upload: Upload; onClose: () => void }) {
  const albums = useAlbums();
  const edit = useAction(
    (form: FormData) => call('PATCH /uploads/:id', { id: upload.id, body: changesIn(form, upload) }),
    { touches: ['uploads', 'overview', 'albums'], quiet: true, done: 'Upload changed.', onDone: onClose },
  );
  return (
    <FormDialog title="Edit the upload" action="Save" of={edit} onSend={edit.mutate} onClose={onClose}>
      <TextField label="File name" name="filename" required maxLength={255} defaultValue={upload.filename} />
      <TextField label="Title" name="title" maxLength={200} defaultValue={upload.title ?? ''} />
      <TextField
        label="Tags"
        name="tags"
        defaultValue={upload.tags.join(', ')}
        hint="Up to 20, with commas between."
      />
      {(albums.length > 0 || upload.album !== null) && (
        <SelectField
          label="Album"
          name="album"
          defaultValue={upload.album ?? ''}
          choices={[
            { value: '', text: 'None' },
            ...albumChoices(albums),
            ...(upload.album === null || albums.some(({ id }) => id === upload.album)
              ? []
              : [{ value: upload.album, text: 'The one it is in' }]),
          ]}
        />
      )}
      <TextField
        label={upload.has_password ? 'New password' : 'Password'}
        name="password"
        maxLength={200}
        autoComplete="off"
        placeholder={upload.has_password ? 'unchanged' : ''}
        hint="Visitors must know it to see the picture."
      />
      {upload.has_password && <Checkbox label="Remove the password" name="open" />}
      <TextField
        label="Views"
        name="max_views"
        type="number"
        min={Math.max(1, upload.views)}
        max={mostViews}
        defaultValue={upload.max_views ?? ''}
        hint={`How often visitors can be shown it in all${upload.views > 0 ? ` (${number(upload.views)} so far)` : ''}; then its link ends. Empty for no limit.`}
      />
    </FormDialog>
  );
}

/** Only what differs: a field that is left out stays as it is. */
function changesIn(form: FormData, upload: Upload): BodyOf<'PATCH /uploads/:id'> {
  const text = (name: string): string => textOf(form, name).trim();
  const [filename, title, album, views] = [text('filename'), text('title'), text('album'), text('max_views')];
  const tags = text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const password = textOf(form, 'password');
  return {
    ...(filename !== upload.filename && { filename }),
    ...(title !== (upload.title ?? '') && { title: title || null }),
    ...(tags.join() !== upload.tags.join() && { tags }),
    ...(form.has('album') && album !== (upload.album ?? '') && { album: album || null }),
    ...(form.has('open') ? { password: null } : password !== '' && { password }),
    ...(views !== String(upload.max_views ?? '') && { max_views: views === '' ? null : Number(views) }),
  };
}
