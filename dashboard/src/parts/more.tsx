// Lists that grow by pages: the next one is asked for when the reader comes near the end, or presses the button.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '#app/parts/button.tsx';

interface Paged<Item> {
  items: Item[];
  next_cursor: string | null;
}

export function usePaged<Answer extends Paged<unknown>>(
  queryKey: unknown[],
  load: (cursor: string | undefined) => Promise<Answer>,
) {
  return useInfiniteQuery<Answer, Error, InfiniteData<Answer>, unknown[], string | undefined>({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // While a changed filter loads, what was shown stays.
    placeholderData: (previous) => previous,
  });
}

interface Growing {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

export function More({ query }: { query: Growing }) {
  return query.hasNextPage ? <End query={query} /> : null;
}

function End({ query: { isFetchingNextPage, fetchNextPage } }: { query: Growing }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (!element || isFetchingNextPage) return undefined;
    const watcher = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) void fetchNextPage();
      },
      { rootMargin: '600px' },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [isFetchingNextPage, fetchNextPage]);
  return (
    <div ref={end} className="flex justify-center py-4">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Load more
      </Button>
    </div>
  );
}
