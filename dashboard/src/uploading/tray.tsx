// The latest uploads, in a corner of every page: each file shows its link as soon as it has one. Failed files come first.
import { useEffect, useState } from 'react';
import { ago, bytes, plural } from '#app/format.ts';
import { Button, IconButton } from '#app/parts/button.tsx';
import { CopyButton } from '#app/parts/copy.tsx';
import { useNow } from '#app/parts/use-now.ts';
import type { Session } from '#app/session.ts';
import { ExpirySelect } from '#app/uploading/expiry.tsx';
import {
  cancel,
  clear,
  isHeld,
  isOpen,
  linksOf,
  retry,
  sendHeld,
  useQueue,
  type Sending,
} from '#app/uploading/queue.ts';

/** Failed files first, then the order in which the files were added. */
const inOrder = (sendings: Sending[]): Sending[] => [
  ...sendings.filter(({ state }) => state === 'failed'),
  ...sendings.filter(({ state }) => state !== 'failed'),
];

export function Tray({ session }: { session: Session }) {
  const { sendings, resumesAt } = useQueue();
  const [isSmall, setSmall] = useState(false);
  const open = sendings.filter(isOpen);
  const held = sendings.filter(isHeld);
  useAskBeforeLeaving(open.length > 0);
  if (sendings.length === 0) return null;
  const links = linksOf(sendings);
  const again = sendings.filter(({ state, canRetry }) => state === 'failed' && canRetry === true);
  return (
    <section
      aria-label="Your latest uploads"
      className="fixed right-4 bottom-4 z-30 flex max-h-[min(32rem,70dvh)] w-[26rem] max-w-[calc(100vw-2rem)] flex-col overflow-hidden card shadow-large"
    >
      <div className="flex items-center gap-2 py-2 pr-2 pl-4">
        <h2 role="status" className="min-w-0 flex-1 truncate font-medium">
          {summaryOf(sendings)}
        </h2>
        <IconButton
          icon="right"
          label={isSmall ? 'Show the list of uploads' : 'Hide the list of uploads'}
          aria-expanded={!isSmall}
          className={isSmall ? '-rotate-90' : 'rotate-90'}
          onClick={() => setSmall(!isSmall)}
        />
        {open.length > 0 ? (
          <Button small tone="quiet" onClick={() => cancel(open.map(({ id }) => id))}>
            Cancel
          </Button>
        ) : (
          <IconButton icon="cross" label="Close the list of uploads" onClick={clear} />
        )}
      </div>
      {resumesAt !== undefined && <Waiting until={resumesAt} perMinute={session.plan.requests_per_minute} />}
      {!isSmall && (
        <ul className="grid min-h-0 flex-1 divide-y divide-line overflow-y-auto border-y">
          {inOrder(sendings).map((sending) => (
            <Row key={sending.id} sending={sending} />
          ))}
        </ul>
      )}
      <div className={`flex-wrap items-center gap-2 p-2.5 ${isSmall ? 'hidden' : 'flex'}`}>
        <ExpirySelect session={session} className="flex-1 text-sm" />
        {held.length > 0 && (
          <Button small tone="primary" icon="upload" onClick={sendHeld}>
            Upload
          </Button>
        )}
        {again.length > 1 && (
          <Button small icon="refresh" onClick={() => retry(again.map(({ id }) => id))}>
            Retry {again.length}
          </Button>
        )}
        {links.length > 1 && (
          <CopyButton tone="primary" text={links.join('\n')} what={`${links.length} links`}>
            Copy all
          </CopyButton>
        )}
      </div>
    </section>
  );
}

/** The browser asks whether to close the tab: files that are not sent yet would be lost. */
function useAskBeforeLeaving(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isNeeded]);
}

function Row({ sending }: { sending: Sending }) {
  const { id, sizeBytes, picture, progress, state, stored } = sending;
  // The name in all lists, which may differ: characters that some disk refuses are replaced, and a long name is cut.
  const name = stored?.filename ?? sending.name;
  const link = stored?.url.replace(/^https?:\/\//, '');
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-md border checkered">
        {state !== 'failed' && (
          <img src={picture} alt="" decoding="async" className="max-h-full max-w-full object-contain" />
        )}
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <p dir="auto" className="truncate font-medium" title={name}>
          {name}
        </p>
        {stored ? (
          <p className="flex gap-2 text-quiet">
            <a href={stored.url} target="_blank" rel="noreferrer" className="truncate hover:underline">
              {link}
            </a>
            {stored.expires_at !== null && (
              <span className="max-w-3/5 shrink-0 truncate">· expires {ago(stored.expires_at)}</span>
            )}
          </p>
        ) : state === 'failed' ? (
          <p role="alert" className="text-danger">
            {sending.problem}
          </p>
        ) : state === 'held' ? (
          <p className="text-quiet">{bytes(sizeBytes)}</p>
        ) : (
          <progress
            className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-ink/8 text-accent [&::-moz-progress-bar]:bg-current [&::-webkit-progress-bar]:bg-ink/8 [&::-webkit-progress-value]:bg-current"
            max={1}
            value={progress}
            aria-label={`Upload of ${name}, ${bytes(sizeBytes)}`}
          />
        )}
      </div>
      {stored && <CopyButton text={stored.url} what={`link of ${name}`} />}
      {state === 'failed' && sending.canRetry === true && (
        <Button small onClick={() => retry([id])} aria-label={`Try again: ${name}`}>
          Try again
        </Button>
      )}
      {isOpen(sending) && <IconButton icon="cross" label={`Cancel ${name}`} onClick={() => cancel([id])} />}
    </li>
  );
}

/** Why the uploads are paused, and for how long. */
function Waiting({ until, perMinute }: { until: number; perMinute: number }) {
  const now = useNow(500);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return (
    <p className="bg-warn-soft px-4 py-2 text-sm text-warn">
      Your plan allows {plural(perMinute, 'request')} a minute. Continuing in {seconds} s.
    </p>
  );
}

function summaryOf(sendings: Sending[]): string {
  const count = (wanted: (sending: Sending) => boolean) => sendings.filter(wanted).length;
  const done = count(({ state }) => state === 'done');
  const failed = count(({ state }) => state === 'failed');
  const held = count(isHeld);
  if (held > 0) return `Upload ${plural(held, 'shared file')}?`;
  if (count(isOpen) > 0) return `Uploading, ${done} of ${sendings.length} done`;
  if (failed === 0) return `${plural(done, 'file')} uploaded`;
  return done === 0
    ? `${plural(failed, 'file')} not uploaded`
    : `${plural(done, 'file')} uploaded, ${failed} not`;
}
