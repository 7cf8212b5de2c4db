// The details of one render: request, result and deletion.
import { useState } from 'react';
import type { Render } from '#http/dashboard/views.ts';
import { call, sameOrigin } from '#app/api.ts';
import { bytes, duration, time } from '#app/format.ts';
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
  const again = new URLSearchParams({
    tab: render.kind,
    body: JSON.stringify({
      url: render.target,
      ...render.options,
      ...(render.url !== null && { response: 'json' }),
    }),
  });
  const facts: [string, string][] = [
    ['Kind', render.kind === 'pdf' ? 'PDF' : 'Screenshot'],
    ['Made', time(render.created_at)],
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
    <Dialog title={render.target} onClose={onClose} wide={render.url !== null}>
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
      {render.url !== null && (
        <div className="mt-5">
          <CopyRow label="Link" text={render.url} />
        </div>
      )}
      <div className="mt-6 flex flex-wrap gap-2.5">
        {render.url !== null && (
          <AnchorButton href={sameOrigin(render.url)} target="_blank" rel="noreferrer" icon="open">
            Open
          </AnchorButton>
        )}
        <LinkButton to={`/playground?${again}`} icon="refresh">
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
              : 'Its link stops at once, everywhere it was shared.'}{' '}
            The unit it used stays used.
          </p>
        </Confirm>
      )}
    </Dialog>
  );
}

function Preview({ render, address }: { render: Render; address: string }) {
  if (render.kind === 'pdf')
    return (
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className="grid min-h-56 place-items-center content-center gap-2 rounded-[10px] border bg-sunken text-quiet hover:text-ink"
      >
        <Icon name="page" className="size-14" />
        Open the PDF
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
        alt={`Screenshot of ${render.target}`}
        className="max-h-96 w-full object-cover object-top"
      />
    </a>
  );
}
