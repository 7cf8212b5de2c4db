// First steps: a shared picture, then a working curl command, within a minute. Each step is ticked off when it is done.
import { useState, type ReactNode } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Section } from '#app/parts/page.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useStored } from '#app/parts/stored.ts';
import { useInstance } from '#app/session.ts';
import { chooseFiles } from '#app/uploading/intake.tsx';
import { firstCurl } from '#app/snippets.ts';
import { keyPlaceholder } from '#site/docs/samples.ts';

type Steps = AnswerOf<'GET /overview'>['first_steps'];

export const isDone = (steps: Steps): boolean => Object.values(steps).every(Boolean);

export function FirstSteps({ steps, accountId }: { steps: Steps; accountId: string }) {
  const [isHidden, setHidden] = useStored(`first steps hidden ${accountId}`);
  const { data: instance } = useInstance();
  const [secret, setSecret] = useState<string>();
  const create = useAction(() => call('POST /keys', { body: { name: 'first key' } }), {
    touches: ['keys', 'overview'],
    onDone: (created) => setSecret(created.secret),
  });
  const baseUrl = instance?.base_url ?? location.origin;
  if (isHidden !== undefined) return null;
  return (
    <Section
      title="First steps"
      intro="Each step is ticked off when it is done. When all are done, this card disappears."
      actions={
        <Button small tone="quiet" onClick={() => setHidden('yes')}>
          Hide
        </Button>
      }
    >
      <ol className="grid gap-3.5">
        <Step isDone={steps.is_verified} title="Verify your e-mail address">
          {instance?.sends_mail === false
            ? 'This service does not send mail, so the operator verifies it.'
            : 'Follow the link in the mail.'}{' '}
          Until then you cannot create a key.
        </Step>
        <Step
          isDone={steps.has_password}
          title="Set a password"
          page={{ path: '/settings', name: 'Settings' }}
        >
          So that you can sign in again without a one-time link.
        </Step>
        <Step
          isDone={steps.has_upload}
          title="Upload your first picture"
          action={
            <Button small tone="primary" icon="upload" disabled={!steps.is_verified} onClick={chooseFiles}>
              Choose a picture
            </Button>
          }
        >
          Or drop or paste one on any page. Its link is copied for you.
        </Step>
        <Step
          isDone={steps.has_key}
          title="Create an API key"
          action={
            <Button
              small
              tone="primary"
              icon="plus"
              busy={create.isPending}
              disabled={!steps.is_verified}
              onClick={() => create.mutate(undefined)}
            >
              Create a key
            </Button>
          }
        >
          A key lets your scripts and apps use your account.
        </Step>
        <Step isDone={steps.has_used_key} title="Use the key" isOpen={secret !== undefined}>
          {secret === undefined
            ? `Paste this into a terminal, with your key in place of ${keyPlaceholder}:`
            : 'Paste this into a terminal. Your key is in it and is shown this once, so keep it:'}
          <div className="mt-2">
            <Code text={firstCurl(baseUrl, secret ?? keyPlaceholder)} what="Command" wrap />
          </div>
        </Step>
        <Step
          isDone={steps.has_render}
          title="Capture a page"
          page={{ path: '/playground', name: 'Playground' }}
        >
          A screenshot or a PDF, with every option of the API.
        </Step>
      </ol>
    </Section>
  );
}

function Step({
  isDone: done,
  isOpen = false,
  title,
  children,
  page,
  action = page && (
    <LinkButton to={page.path} small>
      {page.name}
    </LinkButton>
  ),
}: {
  isDone: boolean;
  /** Stays open when done, because it shows a key that is shown only once. */
  isOpen?: boolean;
  title: string;
  children: ReactNode;
  /** Where it is done. */
  page?: { path: string; name: string };
  action?: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3">
      <span
        className={`grid size-7 place-items-center rounded-full border ${done ? 'border-good bg-good-soft text-good' : 'border-edge'}`}
      >
        {done && <Icon name="check" className="size-4" />}
      </span>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <h3 className={done ? 'text-quiet' : 'font-medium'}>
            {title}
            <span className="sr-only">{done ? ' (done)' : ' (to do)'}</span>
          </h3>
          {(!done || isOpen) && <div className="text-sm text-quiet">{children}</div>}
        </div>
        {!done && action}
      </div>
    </li>
  );
}
