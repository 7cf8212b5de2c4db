// The details of one upload: picture, links in every format, expiry and deletion.
import { useState } from 'react';
import type { Upload } from '#console/views.ts';
import { call, sameOrigin } from '#app/api.ts';
import { imageNames, type ImageType } from '#uploads/image-types.ts';
import { bytes, plural, span, time } from '#app/format.ts';
import { albumName, useAlbums } from '#app/pages/albums/use-albums.ts';
import { EditUpload } from '#app/pages/uploads/edit-upload.tsx';
import { isUsedUp, ViewsUsedUp } from '#app/pages/uploads/views-used-up.tsx';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { CopyRow } from '#app/parts/copy.tsx';
import { Dialog, Facts } from '#app/parts/dialog.tsx';
import { SelectField } from '#app/parts/field.tsx';
import { Steps, type Neighbours } from '#app/parts/neighbours.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { Link } from '#app/router.tsx';
import type { Session } from '#app/session.ts';
import { livesWithin } from '#app/uploading/expiry.tsx';

export function UploadDialog({
  upload,
  session,
  neighbours,
  onDelete,
  onClose,
}: {
  upload: Upload;
  session: Session;
  neighbours: Neighbours;
  onDelete: () => void;
  onClose: () => void;
}) {
  const [isEditing, setEditing] = useState(false);
  const album = useAlbums().find(({ id }) => id === upload.album);
  const facts: [string, string][] = [
    ...(upload.title === null ? [] : [['Title', upload.title] as [string, string]]),
    ['Type', imageNames[upload.content_type as ImageType]],
    ...(upload.width === null
      ? []
      : [['Dimensions', `${upload.width} × ${upload.height} px`] as [string, string]]),
    ['Size', bytes(upload.size_bytes)],
    ['Uploaded', time(upload.created_at)],
    ['Expires', upload.expires_at === null ? 'never' : time(upload.expires_at)],
    ...(album ? [['Album', albumName(album)] as [string, string]] : []),
    ...(upload.guarded ? [['Visitors', guardOf(upload)] as [string, string]] : []),
  ];
  return (
    <Dialog title={upload.filename} onClose={onClose} wide>
      {isUsedUp(upload) && <ViewsUsedUp upload={upload} />}
      <div className="grid gap-6 md:grid-cols-2">
        <a
          href={sameOrigin(upload.url)}
          target="_blank"
          rel="noreferrer"
          className="grid min-h-48 place-items-center self-start overflow-hidden rounded-[10px] border checkered"
        >
          <img
            src={sameOrigin(upload.preview_url)}
            alt={`${upload.filename}, opens the share page`}
            className="max-h-96 max-w-full object-contain"
          />
        </a>
        <div className="grid min-w-0 content-start gap-5">
          <Facts facts={facts} />
          {upload.tags.length > 0 && (
            <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
              {upload.tags.map((tag) => (
                <li key={tag} className="min-w-0">
                  <Link
                    to={`/uploads?tag=${encodeURIComponent(tag)}`}
                    className="block truncate rounded-full bg-accent-soft px-2.5 py-0.5 text-sm text-accent hover:underline"
                  >
                    {tag}
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <ChangeExpiry upload={upload} session={session} />
        </div>
      </div>
      <h3 className="mt-6 mb-2 text-sm font-medium">Copy as</h3>
      <div className="grid gap-1.5">
        {formatsOf(upload).map(([label, text], index) => (
          <CopyRow key={label} label={label} text={text} isFirst={index === 0} />
        ))}
      </div>
      <div className="mt-6 flex flex-wrap gap-2.5">
        <AnchorButton href={sameOrigin(upload.url)} target="_blank" rel="noreferrer" icon="open">
          Share page
        </AnchorButton>
        <AnchorButton href={sameOrigin(upload.download_url)} download={upload.filename} icon="download">
          Download
        </AnchorButton>
        <Button icon="edit" onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Button icon="trash" tone="remove" onClick={onDelete}>
          Delete
        </Button>
        <Steps {...neighbours} />
      </div>
      {isEditing && <EditUpload upload={upload} onClose={() => setEditing(false)} />}
    </Dialog>
  );
}

function guardOf({ has_password, max_views, views }: Upload): string {
  const shown =
    max_views === null ? views > 0 && plural(views, 'view') : `${views} of ${plural(max_views, 'view')}`;
  return [has_password && 'need the password', shown].filter(Boolean).join(', ');
}

function ChangeExpiry({ upload, session }: { upload: Upload; session: Session }) {
  const cap = session.plan.max_link_seconds;
  const change = useAction(
    (seconds: number | null) => call('PATCH /uploads/:id', { id: upload.id, body: { expires_in: seconds } }),
    { touches: ['uploads', 'overview'], done: 'Expiry changed.' },
  );
  const choices = [
    { value: '', text: 'Choose …' },
    ...(cap === null ? [{ value: 'never', text: 'Never' }] : []),
    ...livesWithin(cap).map((seconds) => ({ value: String(seconds), text: `In ${span(seconds)}` })),
  ];
  return (
    <SelectField
      label="Change expiry"
      hint={
        cap === null
          ? 'Counted from now.'
          : `On the ${session.plan.name} plan a link expires at most ${span(cap)} after its upload.`
      }
      choices={choices}
      value=""
      disabled={change.isPending}
      onChange={({ target }) => {
        if (target.value !== '') change.mutate(target.value === 'never' ? null : Number(target.value));
      }}
    />
  );
}

/** The links in every format that people paste, the same as on the share page. */
function formatsOf({ url, file_url, filename, guarded }: Upload): [label: string, text: string][] {
  // Where visitors are asked first, only the page works.
  if (guarded) return [['Page link', url]];
  const attribute = filename.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return [
    ['Page link', url],
    ['Direct link', file_url],
    ['Markdown', `[![${filename.replaceAll(/[\\[\]]/g, String.raw`\$&`)}](${file_url})](${url})`],
    ['HTML', `<a href="${url}"><img src="${file_url}" alt="${attribute}" /></a>`],
    ['BBCode', `[url=${url}][img]${file_url}[/img][/url]`],
  ];
}
