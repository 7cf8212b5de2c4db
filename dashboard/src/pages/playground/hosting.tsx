// Gives the result of a run a link that anyone can open, and copies it.
import { useId, useState } from 'react';
import { call } from '#app/api.ts';
import { Button } from '#app/parts/button.tsx';
import { copy, CopyRow } from '#app/parts/copy.tsx';
import { useAction } from '#app/parts/use-action.ts';

export function Hosting({ id, isHosted }: { id: string; isHosted: boolean }) {
  const hint = useId();
  const [link, setLink] = useState<string>();
  const host = useAction(() => call('POST /renders/:id/host', { id }), {
    touches: ['renders', 'overview'],
    onDone({ share_url, url }) {
      // Text has no page of its own, only a file.
      const shared = share_url ?? url ?? '';
      setLink(shared);
      void copy(shared, 'link');
    },
  });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          small
          tone="primary"
          icon="copy"
          busy={host.isPending}
          aria-describedby={hint}
          onClick={() => host.mutate(undefined)}
        >
          {isHosted ? 'Copy share link' : 'Host and copy link'}
        </Button>
        <span id={hint} className="text-sm text-quiet">
          {isHosted
            ? 'Whoever has the link can see it.'
            : 'Whoever has the link can see it. No further unit.'}
        </span>
      </div>
      {link !== undefined && <CopyRow label="Link" text={link} />}
    </div>
  );
}
