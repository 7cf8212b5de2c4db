// The newest uploads and renders.
import type { ReactNode } from 'react';
import type { Render, Upload } from '#console/views.ts';
import { ago, bytes, duration } from '#app/format.ts';
import { kinds, nameOf } from '#app/pages/renders/names.ts';
import { StatusChip } from '#app/pages/renders/status.tsx';
import { LinkButton } from '#app/parts/button.tsx';
import { Section } from '#app/parts/page.tsx';
import { Thumbnail } from '#app/parts/thumbnail.tsx';
import { Link } from '#app/router.tsx';

export function RecentUploads({ uploads }: { uploads: Upload[] }) {
  return (
    <Recent
      what="uploads"
      isEmpty={uploads.length === 0}
      empty="What you send to the API, or drop on the uploads page, shows up here."
    >
      <ul className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-6">
        {uploads.slice(0, 6).map((upload) => (
          <li key={upload.id} className="min-w-0">
            <Link to={`/uploads?open=${upload.id}`} className="group block rounded-[10px]">
              <span className="block overflow-hidden rounded-[10px] border checkered">
                <Thumbnail upload={upload} />
              </span>
              <span dir="auto" className="mt-1.5 block truncate text-sm font-medium">
                {upload.filename}
              </span>
              <span className="block text-sm text-quiet">{ago(upload.created_at)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Recent>
  );
}

export function RecentRenders({ renders }: { renders: Render[] }) {
  return (
    <Recent
      what="renders"
      isEmpty={renders.length === 0}
      empty="Screenshots and PDFs of web pages, made by the API or in the playground, show up here."
    >
      <ul className="divide-y divide-line">
        {renders.slice(0, 6).map((render) => (
          <li
            key={render.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0"
          >
            <span className="w-24 shrink-0 text-sm text-quiet">{kinds[render.kind]}</span>
            <Link
              to={`/renders?open=${render.id}`}
              className="min-w-0 flex-1 basis-60 truncate hover:underline"
            >
              {nameOf(render)}
            </Link>
            <span className="text-sm text-quiet tabular-nums">
              {render.status !== 'done' ? (
                <StatusChip status={render.status} />
              ) : (
                `${duration(render.duration_ms)} · ${bytes(render.size_bytes)}`
              )}
            </span>
            <span className="w-28 text-sm text-quiet sm:text-right">{ago(render.created_at)}</span>
          </li>
        ))}
      </ul>
    </Recent>
  );
}

function Recent({
  what,
  isEmpty,
  empty,
  children,
}: {
  what: 'uploads' | 'renders';
  isEmpty: boolean;
  empty: string;
  children: ReactNode;
}) {
  return (
    <Section
      title={`Recent ${what}`}
      actions={
        <LinkButton to={`/${what}`} small tone="quiet">
          All {what}
        </LinkButton>
      }
    >
      {isEmpty ? <p className="text-quiet">Nothing yet. {empty}</p> : children}
    </Section>
  );
}
