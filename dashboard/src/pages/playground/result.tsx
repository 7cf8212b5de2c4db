// The result of a run: the picture, the PDF, the text or the JSON, its link, then the receipt, headers and timing.
import { useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call, sameOrigin } from '#app/api.ts';
import { bytes, duration } from '#app/format.ts';
import { Hosting } from '#app/pages/playground/hosting.tsx';
import { isReceipt, Outputs, Receipt } from '#app/pages/playground/receipt.tsx';
import { Picture } from '#app/pages/playground/picture.tsx';
import { maxShownBytes, type Outcome, type Run } from '#app/pages/playground/run.ts';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { FormProblem } from '#app/parts/form.tsx';
import { Section } from '#app/parts/page.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useNow } from '#app/parts/use-now.ts';
import { PdfPreview } from '#app/pdf/pdf-preview.tsx';
import { endingOf } from '#site/docs/samples.ts';
import { formatOf } from '#renders/output-files.ts';

export function Result({ run, what }: { run: Run; what: string }) {
  const { startedAt, isCancelled, outcome, problem } = run;
  if (startedAt !== undefined) return <Waiting startedAt={startedAt} what={what} onCancel={run.cancel} />;
  if (problem) return <FormProblem error={problem} />;
  if (isCancelled)
    return (
      <Empty icon="cross" title="Cancelled">
        The request was cancelled. A render that had not finished by then uses no unit.
      </Empty>
    );
  if (!outcome)
    return (
      <Empty icon="playground" title="The result appears here">
        Fill in the form and run it. You see the {what}, its headers and how long it took.
      </Empty>
    );
  const isGood = outcome.status < 300;
  return (
    <Section
      title="Answer"
      actions={
        <div role="status" className="flex flex-wrap items-center gap-2">
          <Chip tone={isGood ? 'good' : 'danger'}>{outcome.status}</Chip>
          <span className="text-sm text-quiet tabular-nums">
            {duration(outcome.tookMs)} · {bytes(outcome.bytes.size)}
          </span>
        </div>
      }
    >
      <div className="grid gap-5">
        <Shown outcome={outcome} />
        {outcome.renderId !== undefined && (
          <Hosting key={outcome.address} id={outcome.renderId} isHosted={outcome.isHosted} />
        )}
        <ReceiptOf outcome={outcome} />
        <details>
          <summary className="text-sm font-medium">Headers</summary>
          <dl className="mt-2 divide-y divide-line font-mono text-xs">
            {outcome.headers.map(([name, value]) => (
              <div key={name} className="flex flex-wrap justify-between gap-x-4 py-1.5">
                <dt className="text-quiet">{name}</dt>
                <dd className="wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </Section>
  );
}

function Waiting({ startedAt, what, onCancel }: { startedAt: number; what: string; onCancel: () => void }) {
  const now = useNow(100);
  const shown = useRef<HTMLDivElement>(null);
  // On a phone it is below the form, so the page would seem to do nothing.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const seconds = (Math.max(0, now - startedAt) / 1000).toFixed(1);
  return (
    <div
      ref={shown}
      className="grid min-h-64 place-items-center content-center gap-3 rounded-[14px] bg-ink/5 text-quiet"
    >
      <p role="status">Waiting for the {what} …</p>
      <p aria-hidden="true" className="font-serif text-3xl text-ink tabular-nums">
        {seconds} s
      </p>
      <Button icon="cross" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

/** Of version 2: the answer itself, or what its headers only count. */
function ReceiptOf({ outcome: { json, renderId, headers } }: { outcome: Outcome }) {
  const isCounted = headers.some(([name]) => name === 'x-service-warnings');
  const { data } = useQuery({
    queryKey: ['receipt', renderId],
    queryFn: () => call('GET /renders/:id/receipt', { id: renderId ?? '' }),
    enabled: isCounted && renderId !== undefined,
  });
  const receipt = isReceipt(json) ? json : data;
  return receipt && <Receipt receipt={receipt} />;
}

function Shown({ outcome }: { outcome: Outcome }) {
  const { json, text, isHosted, contentType } = outcome;
  if (isReceipt(json)) return <Outputs receipt={json} />;
  if (json !== undefined && (isHosted || outcome.renderId === undefined)) return <Json json={json} />;
  const name = `page.${endingOf(formatOf(contentType))}`;
  if (json !== undefined || text !== undefined)
    return (
      <Bytes outcome={outcome} name={name}>
        <Code text={text ?? JSON.stringify(json, null, 2)} what={name} wrap />
        {outcome.bytes.size > maxShownBytes && text !== undefined && (
          <p className="text-sm text-quiet">This is the beginning. The download has all of it.</p>
        )}
      </Bytes>
    );
  if (contentType.startsWith('image/'))
    return (
      <Bytes outcome={outcome} name={name}>
        <Picture address={outcome.address} alt="The screenshot" />
      </Bytes>
    );
  return (
    <Bytes outcome={outcome} name="page.pdf">
      <PdfPreview title="The PDF" source={outcome.bytes} />
    </Bytes>
  );
}

function Bytes({ outcome, name, children }: { outcome: Outcome; name: string; children: React.ReactNode }) {
  return (
    <div className="grid gap-3">
      {children}
      <div className="flex flex-wrap gap-2.5">
        <AnchorButton small href={outcome.address} download={name} icon="download">
          Download
        </AnchorButton>
        {outcome.text === undefined && outcome.json === undefined && (
          <AnchorButton small href={outcome.address} target="_blank" rel="noreferrer" icon="open">
            Open in a new tab
          </AnchorButton>
        )}
      </div>
    </div>
  );
}

function Json({ json }: { json: unknown }) {
  const hosted = hostedAddress(json);
  return (
    <div className="grid gap-3">
      {hosted?.isPicture === true && <Picture address={hosted.address} alt="The hosted result" />}
      {hosted?.isPicture === false && <PdfPreview title="The hosted PDF" source={hosted.address} />}
      <Code text={JSON.stringify(json, null, 2)} what="Answer" wrap />
      {hosted && (
        <div>
          <AnchorButton small href={hosted.address} target="_blank" rel="noreferrer" icon="open">
            Open the hosted file
          </AnchorButton>
        </div>
      )}
    </div>
  );
}

function hostedAddress(json: unknown): { address: string; isPicture: boolean } | undefined {
  const { url, file_url, paper_format } = json as { url?: string; file_url?: string; paper_format?: string };
  const address = file_url ?? url;
  return address === undefined
    ? undefined
    : { address: sameOrigin(address), isPicture: paper_format === undefined };
}
