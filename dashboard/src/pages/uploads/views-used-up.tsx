// Says that the link of an upload has ended because its views are used up, and opens it again.
import { useState } from 'react';
import type { Upload } from '#console/views.ts';
import { call } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { Button } from '#app/parts/button.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { TextField } from '#app/parts/field.tsx';
import { Banner } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';

export const mostViews = 1_000_000;

export const isUsedUp = ({ max_views, views }: Upload): boolean => max_views !== null && views >= max_views;

export function ViewsUsedUp({ upload }: { upload: Upload }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div className="mb-5">
      <Banner
        tone="warn"
        title="Views used up"
        action={
          <Button icon="plus" onClick={() => setAsking(true)}>
            Allow more
          </Button>
        }
      >
        Visitors were shown it {plural(upload.views, 'time')}, and its link has ended. Only you still see it.
      </Banner>
      {isAsking && <AllowMore upload={upload} onClose={() => setAsking(false)} />}
    </div>
  );
}

function AllowMore({ upload: { id, views }, onClose }: { upload: Upload; onClose: () => void }) {
  const allow = useAction(
    (form: FormData) => {
      const more = textOf(form, 'max_views').trim();
      return call('PATCH /uploads/:id', {
        id,
        body: { max_views: more === '' ? null : views + Number(more) },
      });
    },
    {
      touches: ['uploads', 'overview', 'albums'],
      quiet: true,
      done: 'The link works again.',
      onDone: onClose,
    },
  );
  return (
    <FormDialog title="Allow more views" action="Allow" of={allow} onSend={allow.mutate} onClose={onClose}>
      <TextField
        label="More views"
        name="max_views"
        type="number"
        min={1}
        max={mostViews - views}
        defaultValue={Math.min(views, mostViews - views)}
        hint="Then the link ends again. Empty for no limit."
      />
    </FormDialog>
  );
}
