// The dialogs that add, edit and remove an endpoint, and rotate the secret.
import type { BodyOf } from '#console/contract.ts';
import type { Endpoint } from '#console/webhooks.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { Confirm, FormDialog } from '#app/parts/dialog.tsx';
import { Checkbox, TextField } from '#app/parts/field.tsx';
import { ShownOnce } from '#app/parts/shown-once.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Terms = BodyOf<'POST /webhooks'>;
type WebhookEvent = Terms['events'][number];

const touches = ['webhooks', 'deliveries'];

const eventNames: Record<WebhookEvent, string> = {
  'upload.created': 'An upload is stored',
  'upload.deleted': 'An upload is deleted',
  'render.succeeded': 'A render has succeeded',
  'render.failed': 'A render has failed',
  'quota.warning': '80, 90 or 100 % of the quota are used',
};

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const add = useAction((body: Terms) => call('POST /webhooks', { body }), {
    touches,
    quiet: true,
    onDone: ({ secret }) => {
      if (secret === null) onClose();
    },
  });
  const secret = add.data?.secret ?? null;
  if (secret !== null) return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title="Add an endpoint"
      action="Add"
      of={add}
      onSend={(form) => add.mutate(termsOf(form))}
      onClose={onClose}
    >
      <Fields />
    </FormDialog>
  );
}

export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const change = useAction((body: Terms) => call('PATCH /webhooks/:id', { id: endpoint.id, body }), {
    touches,
    quiet: true,
    done: 'Endpoint changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Edit the endpoint"
      action="Save"
      of={change}
      onSend={(form) => change.mutate(termsOf(form))}
      onClose={onClose}
    >
      <Fields endpoint={endpoint} />
    </FormDialog>
  );
}

function Fields({ endpoint }: { endpoint?: Endpoint }) {
  return (
    <>
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://example.com/tintype"
        defaultValue={endpoint?.url}
        hint="https, and reachable from the Internet. It should answer 2xx within ten seconds."
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1 text-sm font-medium">Tell it when</legend>
        {Object.entries(eventNames).map(([event, name]) => (
          <Checkbox
            key={event}
            name="events"
            value={event}
            label={name}
            hint={<code className="font-mono text-xs">{event}</code>}
            defaultChecked={endpoint?.events.includes(event as WebhookEvent) ?? event !== 'upload.deleted'}
          />
        ))}
      </fieldset>
    </>
  );
}

const termsOf = (form: FormData): Terms => ({
  url: textOf(form, 'url').trim(),
  events: form.getAll('events') as WebhookEvent[],
});

export function RemoveEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const remove = useAction(() => call('DELETE /webhooks/:id', { id: endpoint.id }), {
    touches,
    done: 'Endpoint removed.',
    onDone: onClose,
  });
  return (
    <Confirm
      title="Remove this endpoint?"
      action="Remove it"
      of={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Nothing is sent to <span className="wrap-anywhere text-ink">{endpoint.url}</span> any more. Messages
        that wait for it, and its log, are deleted.
      </p>
    </Confirm>
  );
}

export function RotateSecret({ onClose }: { onClose: () => void }) {
  const rotate = useAction(() => call('POST /webhooks/rotate-secret'), { touches, quiet: true });
  if (rotate.data) return <NewSecret secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Confirm
      title="Make a new secret?"
      action="Make it"
      tone="primary"
      of={rotate}
      onConfirm={() => rotate.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Messages are signed with the new secret from now on. The old one signs too for a day, so that your
        servers can change over. The one before that ends now: if a secret has leaked, rotate twice.
      </p>
    </Confirm>
  );
}

function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce title="Your webhook secret" what="Secret" secret={secret} onClose={onClose}>
      {() => (
        <p className="text-sm text-quiet">
          Give it to the code that receives the messages. Every Standard Webhooks library takes it as it is
          and checks the headers <code className="font-mono text-xs">webhook-id</code>,{' '}
          <code className="font-mono text-xs">webhook-timestamp</code> and{' '}
          <code className="font-mono text-xs">webhook-signature</code>.
        </p>
      )}
    </ShownOnce>
  );
}
