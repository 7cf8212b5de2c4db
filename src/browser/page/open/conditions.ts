// Waits for what the client names: elements that appear or go, expressions that become true. One after the other, in their order.
import { RenderFailure } from '#browser/browser.ts';
import type { Task, WaitFor } from '#browser/job.ts';
import { inTime } from '#browser/page/time/at-most.ts';
import { createConditionTools } from '#browser/page/in-page/condition-tools.ts';
import { openTools, type ToolsInPage } from '#browser/page/isolated-world.ts';
import { throwIfFailed } from '#browser/page/open/navigate.ts';
import type { Page } from '#browser/page/page.ts';
import { whileTimeRuns } from '#browser/page/open/page-time.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { thrownText } from '#browser/page/thrown-text.ts';
import { answerFailureMs, conditionPollMs } from '#browser/page/time/times.ts';
import { pause, type Deadline } from '#browser/process/deadline.ts';

/** Rejects with a RenderFailure if the condition can never be met. */
type IsMet = (signal: AbortSignal) => Promise<boolean>;

const shownCharacters = 100;

export async function waitFor(
  page: Page,
  { waits, listed = [] }: Pick<Task, 'waits' | 'listed'>,
  deadline: Deadline,
): Promise<void> {
  for (const [index, condition] of waits.for.entries()) {
    const field = listed.includes('wait_for') ? `wait_for[${index}]` : 'wait_for';
    const unmet = (words: string) =>
      new RenderFailure('condition_unmet', `${nameOf(condition)} ${words}`, { field });
    const state = 'selector' in condition ? condition.state : 'true';
    const late = () => unmet(`was not ${state} within timeout_ms`);
    const isMet =
      'selector' in condition
        ? createSelectorCheck(page, condition, unmet)
        : createExpressionCheck(page, condition.expression, unmet);
    await inTime(deadline.leftMs() - answerFailureMs, deadline.signal, late, (signal) =>
      whileTimeRuns(page, signal, async () => {
        while (!(await isMetNow(isMet, signal))) {
          throwIfFailed(page);
          await pause(conditionPollMs, signal);
        }
      }),
    );
  }
}

function nameOf(condition: WaitFor): string {
  const text = 'selector' in condition ? condition.selector : condition.expression;
  return JSON.stringify(text.slice(0, shownCharacters).toWellFormed());
}

async function isMetNow(isMet: IsMet, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  try {
    return await isMet(signal);
  } catch (error) {
    // The document is being replaced.
    if (isRefusal(error)) return false;
    throw error;
  }
}

type Unmet = (words: string) => RenderFailure;

function createSelectorCheck(
  page: Page,
  { selector, state }: Extract<WaitFor, { selector: string }>,
  unmet: Unmet,
): IsMet {
  let opened: { tools: ToolsInPage<ReturnType<typeof createConditionTools>>; documents: number } | undefined;
  return async (signal) => {
    const { documents } = page.mainFrame;
    if (opened?.documents !== documents)
      opened = { tools: await openTools(page, signal, createConditionTools), documents };
    const answer = await opened.tools.run('isInState', [selector, state], signal);
    if (answer === 'not a selector') throw unmet('is not a CSS selector');
    return answer;
  };
}

function createExpressionCheck(page: Page, expression: string, unmet: Unmet): IsMet {
  const test = `(async () => !!(await (\n${expression}\n)))`;
  let isValid = false;
  return async (signal) => {
    if (!isValid) {
      // Parsed, but not called yet.
      const { exceptionDetails } = await page.session.send('Runtime.evaluate', { expression: test }, signal);
      if (exceptionDetails) throw unmet(`is not an expression: ${thrownText(exceptionDetails)}`);
      isValid = true;
    }
    const { result } = await page.session.send(
      'Runtime.evaluate',
      { expression: `${test}()`, awaitPromise: true },
      signal,
    );
    // What throws is not true yet.
    return result.value === true;
  };
}
