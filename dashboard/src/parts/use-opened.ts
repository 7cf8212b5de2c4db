// The item that the URL names with `?open=`, even if the list has not loaded it yet.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { problem } from '#app/parts/toast.tsx';

export function useOpened<Item extends { id: string }>({
  id,
  items,
  isLoaded,
  name,
  load,
  onGone,
}: {
  id: string | null;
  items: Item[];
  /** Whether the first page of the list is there. */
  isLoaded: boolean;
  name: 'upload' | 'render';
  load: (id: string) => Promise<Item>;
  onGone: () => void;
}): Item | undefined {
  const listed = items.find((item) => item.id === id);
  const isElsewhere = id !== null && !listed && isLoaded;
  const { data: found, error } = useQuery({
    queryKey: [`${name}s`, 'one', id],
    queryFn: () => load(id ?? ''),
    enabled: isElsewhere,
  });
  useEffect(() => {
    if (!isElsewhere || !error) return;
    problem(`This ${name} no longer exists.`);
    onGone();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each error
  }, [isElsewhere, error]);
  return listed ?? (isElsewhere ? found : undefined);
}
