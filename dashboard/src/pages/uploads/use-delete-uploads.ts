// Deletes uploads, and takes them from the shown pages at once.
import type { InfiniteData } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call, queries } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

export function useDeleteUploads(onDone: () => void) {
  return useAction((ids: string[]) => call('POST /uploads/delete', { body: { ids } }), {
    touches: ['overview'],
    onDone: ({ deleted }) => {
      const gone = new Set(deleted);
      queries.setQueriesData<InfiniteData<AnswerOf<'GET /uploads'>>>(
        { queryKey: ['uploads'] },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              items: page.items.filter(({ id }) => !gone.has(id)),
            })),
          },
      );
      void queries.invalidateQueries({ queryKey: ['uploads'] });
      note(`${plural(deleted.length, 'upload')} deleted.`);
      onDone();
    },
  });
}
