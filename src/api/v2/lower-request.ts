// A request of version 2 as the job that a render runs: each field as its row says, then the rules across fields. What contradicts itself
// is refused here, before anything is paid for. Spec 10.
import {
  listable,
  noAccess,
  noChanges,
  outputField,
  plainPdf,
  plainPicture,
  type Output,
  type SentDocument,
  type SourceFile,
} from '#browser/job.ts';
import { paperInches } from '#renders/paper.ts';
import type { RenderRequest as Render } from '#renders/render-request.ts';
import { lowerInto, shownOf, type AskedOutput, type InstallationSettings } from '#api/v2/fields/row.ts';
import { outputRows, pageRows, requestRows } from '#api/v2/fields/rows.ts';
import {
  requireAddress,
  requireAlone,
  requireAnswer,
  requireCombinable,
  requireFitting,
  requirePixels,
  sourceOf,
  timesOf,
  viewBefore,
} from '#api/v2/fields/rules.ts';
import { RenderRequest, type OutputOptions } from '#api/v2/schemas.ts';
import { validateGiven } from '#http/body/validate.ts';

/** `given` is as the client sent it, but for a large document: what was left out counts where fields contradict each other. */
export function lowerRequest(
  given: RenderRequest,
  files: SourceFile[],
  settings: InstallationSettings,
  document?: SentDocument,
): Omit<Render, 'keepMs'> {
  const source = sourceOf(given, files, document);
  const address = source.kind === 'url' ? source.url : (source.baseUrl ?? undefined);
  const place = { address, settings };
  const parts = {
    view: viewBefore(given),
    access: { ...noAccess },
    changes: { ...noChanges },
    waits: { until: 'settled' as const, settles: true, for: [], delayMs: 0, failOn: [], navigationMs: 0 },
    delivery: { isHosted: false, expiresInSeconds: undefined, reference: null },
  };
  const { view, access, changes, waits, delivery } = parts;
  lowerInto(parts, pageRows.before, given, place);
  if (given.outputs) requireAlone(given);
  const asked = given.outputs ?? [given];
  const outputs = asked.map((one, index) =>
    outputOf(one, { ...place, path: given.outputs ? `outputs[${index}].` : '' }),
  );
  requirePixels(outputs, view);
  requireAddress(given, address);
  lowerInto(parts, pageRows.after, given, place);
  requireAnswer(given, delivery.isHosted);
  const { timeoutMs, navigationMs } = timesOf(given, outputs);
  const listed = listable.filter((name) => Array.isArray(given[name]));
  return {
    version: 2,
    job: { source, view, access, changes, waits: { ...waits, navigationMs }, outputs, timeoutMs },
    listed,
    options: {
      ...shownOf(requestRows, given),
      ...(given.outputs && { outputs: given.outputs.map((one) => shownOf(outputRows, one)) }),
    },
    puts: asked.flatMap(({ put_url: url }, at) =>
      url === undefined ? [] : [{ place: at, url, field: outputField({ outputs, listed }, at, 'put_url') }],
    ),
    ...delivery,
  };
}

/** Lowers the request of a render that was queued, perhaps by an earlier version of the service. */
export const lowerStored = (
  given: unknown,
  files: SourceFile[],
  settings: InstallationSettings,
  document?: SentDocument,
) => lowerRequest(validateGiven(RenderRequest, given), files, settings, document);

const { printed: _printed, ...ofPicture } = plainPicture;
const plainOutput: AskedOutput = {
  ...plainPdf,
  ...ofPicture,
  paper: paperInches.letter,
  mainContent: false,
  page: null,
};

function outputOf(given: OutputOptions, place: Parameters<typeof lowerInto>[3] & { path: string }): Output {
  requireFitting(given, place.path);
  const output = { ...plainOutput };
  lowerInto({ output }, outputRows, given, place);
  requireCombinable(given, output, place.path);
  const { format, selector, mainContent, page } = output;
  const printed = { ...only(plainPdf, output), paper: output.paper };
  switch (format) {
    case 'pdf':
      return { ...printed, format };
    case 'accessibility':
      return { format };
    case 'png':
    case 'jpeg':
    case 'webp':
      return {
        ...only(ofPicture, output),
        format,
        printed: page === null ? null : { ...printed, format: 'pdf', pageRanges: String(page) },
      };
    default:
      return { format, selector, mainContent };
  }
}

/** The members of `from` that the shape has. */
const only = <Shape extends object>(shape: Shape, from: Omit<Shape, 'format'>): Omit<Shape, 'format'> =>
  Object.fromEntries(
    Object.keys(shape).map((name) => [name, from[name as keyof typeof from]]),
  ) as unknown as Shape;
