// The albums of the account, for lists to choose from.
import { useQuery } from '@tanstack/react-query';
import type { Album } from '#api/v2/album-schemas.ts';
import { call } from '#app/api.ts';
import { date } from '#app/format.ts';

/** The newest hundred. */
export function useAlbums(): Album[] {
  const { data } = useQuery({
    queryKey: ['albums', 'choices'],
    queryFn: () => call('GET /albums', { query: { limit: 100 } }),
  });
  return data?.items ?? [];
}

export const albumName = ({ title, created_at }: Pick<Album, 'title' | 'created_at'>): string =>
  title ?? `Album of ${date(created_at)}`;

export const albumChoices = (albums: Album[]): { value: string; text: string }[] =>
  albums.map((album) => ({ value: album.id, text: albumName(album) }));
