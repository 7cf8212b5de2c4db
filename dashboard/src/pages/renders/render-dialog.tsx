// The details of one render: request, result and deletion.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Render } from '#http/dashboard/views.ts';
import { call, sameOrigin } from '#app/api.ts';
import { bytes, duration, time } from '#app/format.ts';
import { Change } from '#app/pages/renders/change.tsx';
import { madeOf, nameOf, repeatOf } from '#app/pages/renders/names.ts';
import { Warnings } from '#app/pages/renders/warnings.tsx';
import { AnchorButton, Button, LinkButton } from '#app/parts/button.tsx';
import { CopyRow } from '#app/parts/copy.tsx';
import { Confirm, Dialog, Facts } from '#app/parts/dialog.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { useAction } from '#app/parts/use-action.ts';

export function RenderDialog({ render, onClose }: { render: Render; onClose: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useAction(() => call('DELETE /renders/:id', { id: render.id }), {
    touches: ['renders', 'overview'],
    done: 'Render deleted.',
    onDone: onClose,
  });
  const facts: [string, string][] = [
    ['Kind', madeOf(render)],
    ['Made', time(render.created_at)],
    ...(render.reference === null ? [] : [['Reference', render.reference] as [string, string]]),
    ...(render.units > 1 ? [['Units', String(render.units)] as [string, string]] : []),
    ['Took', duration(render.duration_ms)],
    ['Size', bytes(render.size_bytes)],
    [
      'Expires',
      render.expires_at === null ? (render.url === null ? 'not hosted' : 'never') : time(render.expires_at),
    ],
    ...Object.entries(render.options).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  return (
    <Dialog title={nameOf(render)} onClose={onClose} wide={render.url !== null}>
      <div className={`grid gap-6 ${render.url === null ? '' : 'md:grid-cols-2'}`}>
        {render.url !== null && <Preview render={render} address={sameOrigin(render.url)} />}
        <div className="min-w-0">
          {render.failure !== null && (
            <p className="mb-4 rounded-[9px] bg-danger-soft px-3 py-2 text-sm text-danger wrap-anywhere">
              {render.failure}
            </p>
          )}
          <Facts facts={facts} />
        </div>
      </div>
      {render.version === 2 && <Noted id={render.id} />}
      {render.url !== null && (
        <div className="mt-5 grid gap-2">
          {render.share_url !== null && <CopyRow label="Page link" text={render.share_url} />}
          {render.outputs.map(({ format, url }) => (
            <CopyRow key={url} label={render.outputs.length > 1 ? format : 'Link'} text={url} />
          ))}
        </div>
      )}
      <div className="mt-6 flex flex-wrap gap-2.5">
        {render.url !== null && (
          <AnchorButton href={sameOrigin(render.url)} target="_blank" rel="noreferrer" icon="open">
            Open
          </AnchorButton>
        )}
        <LinkButton
          to={`/playground?${repeatOf(render)}`}
          icon="refresh"
          title={
            render.version === 2
              ? 'Without documents, CSS, script and secrets: those are not kept'
              : undefined
          }
        >
          Render again
        </LinkButton>
        <Button icon="trash" tone="remove" className="ml-auto" onClick={() => setConfirming(true)}>
          Delete
        </Button>
      </div>
      {isConfirming && (
        <Confirm
          title="Delete this render?"
          action="Delete it"
          of={remove}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setConfirming(false)}
        >
          <p>
            {render.url === null
              ? 'It is removed from your history.'
              : 'Its links stop working at once; browsers that showed it may keep their copy for up to five minutes.'}{' '}
            {render.units > 1 ? 'The units it used stay used.' : 'The unit it used stays used.'}
          </p>
        </Confirm>
      )}
    </Dialog>
  );
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
  if (render.kind !== 'screenshot')
    return (
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className="grid min-h-56 place-items-center content-center gap-2 rounded-[10px] border bg-sunken text-quiet hover:text-ink"
      >
        <Icon name="page" className="size-14" />
        {render.kind === 'pdf' ? 'Open the PDF' : 'Open the extract'}
      </a>
    );
  return (
    <a
      href={address}
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
