// Uploads deleted in the last 7 days, which can still be restored.
import { useQuery } from '@tanstack/react-query';
import { call } from '#app/api.ts';
import { RecentlyDeleted } from '#app/parts/recently-deleted.tsx';
import { restore } from '#app/parts/use-delete.ts';

export function DeletedUploads() {
  const { data } = useQuery({
    queryKey: ['uploads', 'deleted'],
    queryFn: () => call('GET /uploads/deleted'),
  });
  const items = data?.items.map(({ filename, ...item }) => ({ ...item, name: filename })) ?? [];
  return (
    <RecentlyDeleted
      items={items}
      restore={(ids) => restore('upload', ids)}
      purge={(ids) => call('POST /uploads/purge', { body: { ids } })}
      touches={['uploads']}
    />
  );
}
