// A mutation: runs it once at a time, reports errors, and invalidates the queries that it affects.
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { refresh } from '#app/api.ts';
import { note, problem } from '#app/parts/toast.tsx';

interface Options<Answer> {
  /** First elements of the query keys to invalidate afterwards. */
  touches?: string[];
  done?: string;
  onDone?: (answer: Answer) => void;
  /** The form shows the error; otherwise a toast does. */
  quiet?: boolean;
}

export function useAction<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { touches = [], done, onDone, quiet = false }: Options<Answer> = {},
) {
  // React learns of a running mutation only after the current event, too late for a double click.
  const isRunning = useRef(false);
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: run,
    onSuccess: async (answer) => {
      // Refresh the page before the dialog closes, so that the focus does not return to an element that is about to go.
      await refresh(touches);
      if (done !== undefined) note(done);
      onDone?.(answer);
    },
    onError: (error) => {
      if (!quiet) problem(error);
    },
    onSettled: () => {
      isRunning.current = false;
    },
  });
  const { mutate: start } = mutation;
  const mutate: typeof start = useCallback(
    (...given) => {
      if (isRunning.current) return;
      isRunning.current = true;
      start(...given);
    },
    [start],
  );
  return { ...mutation, mutate, error: quiet ? mutation.error : null };
}
