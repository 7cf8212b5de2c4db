// What version 2 says about a render: its outputs, the page, where the time went, and what is not as it should be.
import type { AnswerOf } from '#console/handlers.ts';
import { sameOrigin } from '#app/api.ts';
import { bytes, duration, plural } from '#app/format.ts';
import { Picture } from '#app/pages/playground/picture.tsx';
import { Warnings } from '#app/pages/renders/warnings.tsx';
import { AnchorButton } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Facts } from '#app/parts/dialog.tsx';
import { Chip } from '#app/parts/states.tsx';
import { PdfPreview } from '#app/pdf/pdf-preview.tsx';

type Told = AnswerOf<'GET /renders/:id/receipt'>;

export const isReceipt = (json: unknown): json is Told =>
  typeof json === 'object' && json !== null && 'outputs' in json && 'warnings' in json;

/** Of an answer as JSON, in which they are hosted. */
export function Outputs({ receipt }: { receipt: Told }) {
  return (
    <div className="grid gap-5">
      {receipt.outputs.map((output) => (
        <Output key={output.url} output={output} />
      ))}
      <Code text={JSON.stringify(receipt, null, 2)} what="Answer" wrap />
    </div>
  );
}

function Output({ output }: { output: Told['outputs'][number] }) {
  const { format, url, text, data, width } = output;
  const address = sameOrigin(url ?? '');
  return (
    <div className="grid gap-3">
      {width !== null && <Picture address={address} alt="The hosted result" />}
      {format === 'pdf' && <PdfPreview title="The hosted PDF" source={address} />}
      {(text ?? data) !== null && <Code text={text ?? JSON.stringify(data, null, 2)} what={format} wrap />}
      <div>
        <AnchorButton small href={address} target="_blank" rel="noreferrer" icon="open">
          Open the hosted file
        </AnchorButton>
      </div>
    </div>
  );
}

export function Receipt({ receipt }: { receipt: Told }) {
  const { page, timing, warnings, units } = receipt;
  const times = Object.entries(timing).flatMap(([name, ms]) =>
    ms === null ? [] : [`${name.replace('_ms', '')} ${duration(ms)}`],
  );
  const facts: [string, string | null][] = [
    ['Title', page.title],
    ['Address', page.final_url],
    ['Status of the page', page.status === null ? null : String(page.status)],
    ['Outputs', receipt.outputs.map(sizeOf).join(', ')],
    ['Time', times.join(', ')],
    ['Cost', plural(units, 'unit')],
  ];
  return (
    <details open={warnings.length > 0}>
      <summary className="text-sm font-medium">
        Receipt {warnings.length > 0 && <Chip tone="warn">{plural(warnings.length, 'warning')}</Chip>}
      </summary>
      <div className="mt-2 grid gap-3">
        {warnings.length > 0 && <Warnings warnings={warnings} />}
        <Facts facts={facts.filter((fact): fact is [string, string] => Boolean(fact[1]))} />
      </div>
    </details>
  );
}

const sizeOf = ({ format, width, height, pages, size_bytes }: Told['outputs'][number]): string =>
  [
    format,
    width !== null && `${width} × ${height}`,
    pages !== null && plural(pages, 'page'),
    bytes(size_bytes),
  ]
    .filter(Boolean)
    .join(' · ');
