// Lists loaded page by page: the next page is requested when the reader scrolls near the end or presses the button.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '#app/parts/button.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';

interface Paged<Item> {
  items: Item[];
  next_cursor: string | null;
}

export function usePaged<Answer extends Paged<unknown>>(
  queryKey: unknown[],
  load: (cursor: string | undefined) => Promise<Answer>,
  /** Refetch interval, used while only the first page is shown. */
  everyMs?: number,
) {
  return useInfiniteQuery<Answer, Error, InfiniteData<Answer>, unknown[], string | undefined>({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      everyMs !== undefined && (state.data?.pages.length ?? 0) < 2 ? everyMs : false,
    // Keep the previous items while a changed filter loads.
    placeholderData: (previous) => previous,
  });
}

interface NextPage {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

interface Growing<Item> extends NextPage {
  data: { pages: Paged<Item>[] } | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

export const itemsOf = <Item,>(query: Growing<Item>): Item[] =>
  query.data?.pages.flatMap((page) => page.items) ?? [];

/** The loaded items, or the loading state or the error if there are none yet. */
export function PagedList<Item>({
  query,
  empty,
  children,
}: {
  query: Growing<Item>;
  /** Shown if the list is empty. */
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  const items = itemsOf(query);
  if (!query.data)
    return query.error ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Loading />;
  return (
    <>
      {items.length === 0 ? empty : children(items)}
      {query.hasNextPage && <End query={query} />}
    </>
  );
}

function End({ query: { isFetchingNextPage, fetchNextPage } }: { query: NextPage }) {
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
