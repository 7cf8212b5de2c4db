// The private hosts that the renders of one account may reach.
import { useState } from 'react';
import type { AdminAccount } from '#console/admin.ts';
import { Button } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';

export function AllowedHosts({
  account,
  busy,
  onSave,
}: {
  account: AdminAccount;
  busy: boolean;
  onSave: (hosts: string) => void;
}) {
  const saved = account.allowed_hosts.join(', ');
  const [hosts, setHosts] = useState(saved);
  return (
    <form
      className="flex items-end gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(hosts);
      }}
    >
      <TextField
        label="Private hosts"
        hint="Pages that only this account may render, each with its port: wiki.corp:443, 10.0.0.5:8443"
        className="flex-1"
        spellCheck={false}
        autoComplete="off"
        value={hosts}
        onChange={(event) => setHosts(event.target.value)}
      />
      <Button type="submit" busy={busy} disabled={hosts === saved}>
        Save hosts
      </Button>
    </form>
  );
}
