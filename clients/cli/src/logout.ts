// tt logout: removes the stored key. The key stays valid; the dashboard revokes it.
import { forgetSettings, profileName } from '../../shared/src/settings.ts';
import { remark } from '../../shared/src/terminal.ts';
import type { Command } from './command.ts';

export const logout: Command = {
  summary: 'Remove the key that "tt login" stored',
  help: `Usage: tt logout [--profile NAME]

Removes the stored key from this machine. The key stays valid; revoke it in the
dashboard.

Examples:
  tt logout
  tt logout --profile work`,
  options: {},

  async run() {
    remark(
      `${(await forgetSettings()) ? 'logged out of' : 'there was no login in'} profile ${profileName()}`,
    );
    return 0;
  },
};
