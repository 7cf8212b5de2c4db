// One change of the account's things: runs, reports trouble, and lets what it touched be asked for again.
import { useMutation } from '@tanstack/react-query';
import { queries } from '#app/api.ts';
import { note, problem } from '#app/parts/toast.tsx';

interface Options<Answer> {
  /** First words of the query keys that are out of date afterwards. */
  touches?: string[];
  done?: string;
  onDone?: (answer: Answer) => void;
  /** The form shows the problem itself. */
  quiet?: boolean;
}

export function useAction<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { touches = [], done, onDone, quiet = false }: Options<Answer> = {},
) {
  return useMutation<Answer, Error, Input>({
    mutationFn: run,
    onSuccess: async (answer) => {
      // What the page shows is up to date before a dialog over it closes: the focus goes back to what is still there.
      await Promise.all(touches.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      if (done !== undefined) note(done);
      onDone?.(answer);
    },
    onError: (error) => {
      if (!quiet) problem(error);
    },
  });
}
