// The dialogs that create, rename and revoke a link key. Its secret is shown only once.
import type { LinkKey } from '#console/link-keys.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { Code } from '#app/parts/copy.tsx';
import { Confirm, FormDialog } from '#app/parts/dialog.tsx';
import { TextField } from '#app/parts/field.tsx';
import { ShownOnce } from '#app/parts/shown-once.tsx';
import { useAction } from '#app/parts/use-action.ts';

const touches = ['link-keys'];

export function CreateLinkKey({ baseUrl, onClose }: { baseUrl: string; onClose: () => void }) {
  const create = useAction((name: string) => call('POST /link-keys', { body: { name } }), {
    touches,
    quiet: true,
  });
  if (create.data) {
    const { key, secret } = create.data;
    return (
      <ShownOnce title="Your new link key" what="Secret" secret={secret} onClose={onClose}>
        {(keep) => (
          <div>
            <h3 className="mb-2 text-sm font-medium">A first link: in a program with @tintype/client</h3>
            <Code text={firstLink(baseUrl, key.id, secret)} what="Program" wrap onCopied={keep} />
          </div>
        )}
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Create a link key"
      action="Create link key"
      of={create}
      onSend={(form) => create.mutate(textOf(form, 'name').trim())}
      onClose={onClose}
    >
      <NameField />
    </FormDialog>
  );
}

const firstLink = (baseUrl: string, linkKey: string, secret: string): string =>
  `import { signLink } from '@tintype/client';

const url = await signLink(
  { url: 'https://example.com/', maxAge: 86400 },
  { baseUrl: '${baseUrl}', linkKey: '${linkKey}', secret: '${secret}' },
);`;

const NameField = ({ name }: { name?: string }) => (
  <TextField
    label="Name"
    name="name"
    required
    maxLength={50}
    defaultValue={name}
    placeholder="website, newsletter …"
    hint="Where it signs links, so that you know which of them end when you revoke it."
  />
);

export function RenameLinkKey({ item, onClose }: { item: LinkKey; onClose: () => void }) {
  const rename = useAction((name: string) => call('PATCH /link-keys/:id', { id: item.id, body: { name } }), {
    touches,
    quiet: true,
    done: 'Link key renamed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Rename the link key"
      action="Save"
      of={rename}
      onSend={(form) => rename.mutate(textOf(form, 'name').trim())}
      onClose={onClose}
    >
      <NameField name={item.name} />
    </FormDialog>
  );
}

export function RevokeLinkKey({ item, onClose }: { item: LinkKey; onClose: () => void }) {
  const revoke = useAction(() => call('POST /link-keys/:id/revoke', { id: item.id }), {
    touches,
    done: 'Link key revoked.',
    onDone: onClose,
  });
  return (
    <Confirm
      title="Revoke this link key?"
      action="Revoke it"
      of={revoke}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Every link that <span className="wrap-anywhere text-ink">{item.name}</span> has signed stops working.
        Browsers and caches may show what they have for as long as the max_age of the link. This cannot be
        undone.
      </p>
    </Confirm>
  );
}
