// Copies a text where the system has a clipboard, and says whether it had.
import { spawn } from 'node:child_process';

function candidates(): string[][] {
  const { WAYLAND_DISPLAY, DISPLAY, WSL_DISTRO_NAME, TERMUX_VERSION } = process.env;
  if (process.platform === 'darwin') return [['pbcopy']];
  if (process.platform === 'win32') return [['clip']];
  return [
    ...(WAYLAND_DISPLAY ? [['wl-copy']] : []),
    ...(DISPLAY
      ? [
          ['xclip', '-selection', 'clipboard'],
          ['xsel', '--clipboard', '--input'],
        ]
      : []),
    ...(WSL_DISTRO_NAME ? [['clip.exe']] : []),
    ...(TERMUX_VERSION ? [['termux-clipboard-set']] : []),
  ];
}

export async function copyToClipboard(text: string): Promise<boolean> {
  for (const [command = '', ...args] of candidates()) {
    if (await pipeTo(command, args, text)) return true;
  }
  return false;
}

function pipeTo(command: string, args: string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Its own group and no pipes of ours: such tools stay behind to serve the clipboard.
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.once('error', () => {});
    child.stdin.end(text);
  });
}
