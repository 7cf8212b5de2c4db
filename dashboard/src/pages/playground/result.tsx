// The result of a run: the picture, the PDF or the JSON, then headers and timing.
import { sameOrigin } from '#app/api.ts';
import { bytes, duration } from '#app/format.ts';
import type { Outcome, Run } from '#app/pages/playground/run.ts';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { FormProblem } from '#app/parts/form.tsx';
import { Section } from '#app/parts/page.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useNow } from '#app/parts/use-now.ts';
import { PdfPreview } from '#app/pdf/pdf-preview.tsx';

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
  const seconds = (Math.max(0, now - startedAt) / 1000).toFixed(1);
  return (
    <div className="grid min-h-64 place-items-center content-center gap-3 rounded-[14px] bg-ink/5 text-quiet">
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

function Shown({ outcome }: { outcome: Outcome }) {
  if (outcome.json !== undefined) return <Json json={outcome.json} />;
  if (outcome.contentType.startsWith('image/'))
    return (
      <Bytes outcome={outcome} name={`page.${outcome.contentType.slice('image/'.length)}`}>
        <div className="max-h-[36rem] overflow-auto rounded-[10px] border checkered">
          <img src={outcome.address} alt="The screenshot" className="mx-auto" />
        </div>
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
        <AnchorButton small href={outcome.address} target="_blank" rel="noreferrer" icon="open">
          Open in a new tab
        </AnchorButton>
      </div>
    </div>
  );
}

function Json({ json }: { json: unknown }) {
  const hosted = hostedAddress(json);
  return (
    <div className="grid gap-3">
      {hosted?.isPicture === true && (
        <div className="max-h-[36rem] overflow-auto rounded-[10px] border checkered">
          <img src={hosted.address} alt="The hosted result" className="mx-auto" />
        </div>
      )}
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
