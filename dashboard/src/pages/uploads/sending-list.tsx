// A progress bar per file on its way up.
import { bytes } from '#app/format.ts';
import { clearFinished, retry, useSendings, type Sending } from '#app/pages/uploads/send-files.ts';
import { Button } from '#app/parts/button.tsx';
import { Icon } from '#app/parts/icon.tsx';

export function SendingList() {
  const sendings = useSendings();
  if (sendings.length === 0) return null;
  const isBusy = sendings.some(({ state }) => state === 'waiting' || state === 'sending');
  return (
    <section className="card p-4 sm:p-5" aria-label="Files on their way">
      <div className="mb-3 flex min-h-8 items-center justify-between gap-3">
        <h2 className="font-medium">{isBusy ? 'Uploading' : 'Finished'}</h2>
        {!isBusy && (
          <Button small tone="quiet" onClick={clearFinished}>
            Clear
          </Button>
        )}
      </div>
      <ul className="grid max-h-72 gap-3 overflow-y-auto">
        {sendings.map((sending) => (
          <Row key={sending.id} sending={sending} />
        ))}
      </ul>
    </section>
  );
}

function Row({ sending: { id, name, sizeBytes, progress, state, problem } }: { sending: Sending }) {
  const color = { waiting: 'text-accent', sending: 'text-accent', done: 'text-good', failed: 'text-danger' };
  return (
    <li className="grid gap-1">
      <div className="flex items-center gap-2 text-sm">
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="text-quiet tabular-nums">{bytes(sizeBytes)}</span>
        {state === 'done' && (
          <span className="text-good">
            <Icon name="check" className="size-4" />
            <span className="sr-only">done</span>
          </span>
        )}
        {state === 'failed' && (
          <Button small onClick={() => retry(id)}>
            Try again
          </Button>
        )}
      </div>
      <progress
        className={`h-1.5 w-full appearance-none overflow-hidden rounded-full bg-ink/8 [&::-moz-progress-bar]:bg-current [&::-webkit-progress-bar]:bg-ink/8 [&::-webkit-progress-value]:bg-current ${color[state]}`}
        max={1}
        value={state === 'failed' ? 1 : progress}
        aria-label={`Upload of ${name}`}
      />
      {problem !== undefined && state === 'failed' && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
    </li>
  );
}
