// One render from top to bottom: check the target, take a capture slot and reserve the units, wait for a slot on the machine, run the
// browser, then store files, row and units together. A failure releases slot and units and meters nothing. Spec 4.3, 4.4; v2 2.
import { newId } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import type { EgressRules } from '#wall/rules.ts';
import type { Tables } from '#storage/database.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import { unitsOf } from '#renders/output-files.ts';
import { createPerformer, type PerformerParts, type RenderEnd } from '#renders/perform-render.ts';
import { checkPuts, type CheckedPut } from '#renders/put-outputs.ts';
import {
  createRecorder,
  type AlsoRecord,
  type FinishedRender,
  type RecorderParts,
} from '#renders/record-render.ts';
import { createReferences } from '#renders/references.ts';
import { toServiceError } from '#renders/render-failure.ts';
import { requireStorable, type RenderRequest } from '#renders/render-request.ts';
import type { BegunRender } from '#renders/render-row.ts';
import { targetOf } from '#renders/target-url.ts';

export interface RendersParts
  extends RecorderParts, Omit<PerformerParts, 'references' | 'recorder' | 'noteEnd'> {
  slots: CaptureSlots;
}

export type Renders = ReturnType<typeof createRenders>;

export function createRenders(parts: RendersParts) {
  const { clock, wall, slots, reached } = parts;
  const references = createReferences(parts);
  const recorder = createRecorder(parts);
  let noteEnd: (end: RenderEnd) => void = () => {};
  const perform = createPerformer({ ...parts, references, recorder, noteEnd: (end) => noteEnd(end) });

  /** Where the pages of this account may go: with the private hosts that it was granted. */
  const rulesFor = ({ allowedHosts }: Caller): EgressRules => wall.rulesFor('page', allowedHosts);

  /** Takes a capture slot for the render, and gives it back at the end. */
  async function renderNow(
    payer: Caller,
    request: RenderRequest,
    signal: AbortSignal,
    alsoRecord: AlsoRecord,
    phases: Phases,
  ): Promise<FinishedRender> {
    const begun = begin(payer, request);
    await references.checkReferences(payer.accountId, request);
    const { leaseId } = await slots.acquire(payer, unitsOf(request.job.outputs));
    reached('lease taken');
    const release = (tables: Tables): Promise<void> => tables.renderLeases.delete(leaseId);
    const beforeSending = (ms: number): Promise<void> => slots.extend(leaseId, ms);
    try {
      return await perform(begun, { release, beforeSending, signal, alsoRecord, phases });
    } catch (error) {
      await slots.release(leaseId);
      if (!(error instanceof RenderFailure)) throw error;
      if (error.reason !== 'other_size') await recorder.fail(begun, error);
      throw toServiceError(begun, error);
    }
  }

  /** Where outputs go. Refuses an address that is known to be out of bounds. */
  const putsOf = ({ puts = [] }: RenderRequest): CheckedPut[] => checkPuts(puts, wall);

  /** Refuses a request whose target is known to be out of bounds, before it costs anything. */
  function begin(
    payer: Caller,
    request: RenderRequest,
    { id = newId(), createdAt = clock.now() }: Partial<Pick<BegunRender, 'id' | 'createdAt'>> = {},
  ): BegunRender {
    const target = targetOf(request.job, rulesFor(payer));
    requireStorable(request);
    return { id, payer, request, target, puts: putsOf(request), createdAt };
  }

  return {
    /** Tells of every render that ends from now on. */
    onEnd(note: (end: RenderEnd) => void): void {
      noteEnd = note;
    },
    renderNow,
    begin,
    perform,
    recorder,
    checkReferences: references.checkReferences,
    putsOf,
    /** Throws what can be said of a request before it costs anything. */
    check(payer: Caller, { job, reference }: Pick<RenderRequest, 'job' | 'reference'>): void {
      targetOf(job, rulesFor(payer));
      requireStorable({ reference });
    },
  };
}
