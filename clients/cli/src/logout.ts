// tt logout: forgets the key. It goes on working elsewhere; the dashboard revokes it.
import { say, type Command } from './command.ts';
import { forgetSettings, profileName } from './settings.ts';

export const logout: Command = {
  summary: 'Forget the key that "tt login" has kept',
  help: `Usage: tt logout [--profile NAME]

Removes the kept key from this machine. The key itself goes on working; revoke
it in the dashboard.

Examples:
  tt logout
  tt logout --profile work`,
  options: {},

  async run() {
    say(`${(await forgetSettings()) ? 'logged out of' : 'there was no login in'} profile ${profileName()}`);
    return 0;
  },
};
