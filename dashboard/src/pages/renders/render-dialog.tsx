// The details of one render: result, links, how it was asked for, and deletion.
import { useQuery } from '@tanstack/react-query';
import type { Render } from '#console/views.ts';
import { call, sameOrigin } from '#app/api.ts';
import { bytes, duration, plural, time } from '#app/format.ts';
import { Hosting } from '#app/pages/playground/hosting.tsx';
import { Change } from '#app/pages/renders/change.tsx';
import { formatNames, madeOf, nameOf, repeatOf, titleOf } from '#app/pages/renders/names.ts';
import { settingsOf } from '#app/pages/renders/settings.ts';
import { Warnings } from '#app/pages/renders/warnings.tsx';
import { AnchorButton, Button, LinkButton } from '#app/parts/button.tsx';
import { CopyRow } from '#app/parts/copy.tsx';
import { Dialog, Facts } from '#app/parts/dialog.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Steps, type Neighbours } from '#app/parts/neighbours.tsx';
import { PdfPreview } from '#app/pdf/pdf-preview.tsx';

export function RenderDialog({
  render,
  neighbours,
  onDelete,
  onClose,
}: {
  render: Render;
  neighbours: Neighbours;
  onDelete: () => void;
  onClose: () => void;
}) {
  const { url, share_url, version } = render;
  return (
    <Dialog title={titleOf(render)} onClose={onClose} wide={url !== null}>
      {render.title !== null && <p className="mb-4 text-sm wrap-anywhere text-quiet">{nameOf(render)}</p>}
      <div className={`grid gap-6 ${url === null ? '' : 'md:grid-cols-2'}`}>
        {url !== null && <Preview render={render} address={sameOrigin(url)} />}
        <div className="grid min-w-0 content-start gap-4">
          {render.failure !== null && (
            <p className="rounded-[9px] bg-danger-soft px-3 py-2 text-sm text-danger wrap-anywhere">
              {render.failure}
            </p>
          )}
          <Facts facts={factsOf(render)} />
          {url === null && render.can_be_hosted && <Hosting id={render.id} isHosted={false} />}
        </div>
      </div>
      {version === 2 && <Noted id={render.id} />}
      {url !== null && (
        <>
          <h3 className="mt-6 mb-2 text-sm font-medium">Copy as</h3>
          <div className="grid gap-1.5">
            {share_url !== null && <CopyRow label="Page link" text={share_url} isFirst />}
            {render.outputs.map(({ format, url: file }) => (
              <CopyRow
                key={file}
                label={render.outputs.length > 1 ? formatNames[format] : 'Direct link'}
                text={file}
              />
            ))}
          </div>
        </>
      )}
      <div className="mt-6 flex flex-wrap gap-2.5">
        {share_url !== null && (
          <AnchorButton href={sameOrigin(share_url)} target="_blank" rel="noreferrer" icon="open">
            Share page
          </AnchorButton>
        )}
        {url !== null && (
          <AnchorButton href={`${sameOrigin(url)}?download=1`} download icon="download">
            Download
          </AnchorButton>
        )}
        <LinkButton
          to={`/playground?${repeatOf(render)}`}
          icon="refresh"
          title={version === 2 ? 'Without documents, CSS, script and secrets: those are not kept' : undefined}
        >
          Render again
        </LinkButton>
        <Button icon="trash" tone="remove" onClick={onDelete}>
          Delete
        </Button>
        <Steps {...neighbours} />
      </div>
    </Dialog>
  );
}

function factsOf(render: Render): [string, string][] {
  const { size, pages, reference, units, expires_at, url } = render;
  return (
    [
      ['Kind', madeOf(render)],
      size && ['Dimensions', `${size.width} × ${size.height} px`],
      pages !== null && ['Length', plural(pages, 'page')],
      render.size_bytes !== null && ['Size', bytes(render.size_bytes)],
      ['Made', time(render.created_at)],
      render.duration_ms !== null && ['Took', duration(render.duration_ms)],
      url !== null && ['Expires', expires_at === null ? 'never' : time(expires_at)],
      reference !== null && ['Reference', reference],
      units > 1 && ['Units', String(units)],
      ...settingsOf(render),
    ] satisfies ([string, string] | null | false)[]
  ).filter((fact) => fact !== null && fact !== false);
}

function Noted({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['receipt', id],
    queryFn: () => call('GET /renders/:id/receipt', { id }),
  });
  if (!data) return null;
  return (
    <div className="mt-5 grid gap-4">
      {data.outputs.map((output, index) => (
        <Change key={index} output={output} />
      ))}
      {data.warnings.length > 0 && <Warnings warnings={data.warnings} />}
    </div>
  );
}

function Preview({ render, address }: { render: Render; address: string }) {
  if (render.kind === 'pdf') return <PdfPreview source={address} title={`PDF of ${nameOf(render)}`} />;
  if (render.kind === 'extract')
    return (
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className="grid min-h-56 place-items-center content-center gap-2 rounded-[10px] border bg-sunken text-quiet hover:text-ink"
      >
        <Icon name="page" className="size-14" />
        Open the extract
      </a>
    );
  return (
    <a
      href={sameOrigin(render.share_url ?? address)}
      target="_blank"
      rel="noreferrer"
      className="grid self-start overflow-hidden rounded-[10px] border checkered"
    >
      <img
        src={address}
        alt={`Screenshot of ${nameOf(render)}`}
        className="max-h-96 w-full object-cover object-top"
      />
    </a>
  );
}
