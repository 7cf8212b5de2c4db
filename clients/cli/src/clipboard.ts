// The system's clipboard, if it has one: writes text to it, reads pictures from it.
import { spawn } from 'node:child_process';

function writers(): string[][] {
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
  for (const [command = '', ...args] of writers()) {
    if (await pipeTo(command, args, text)) return true;
  }
  return false;
}

function pipeTo(command: string, args: string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // In its own process group and without our pipes, because such tools keep running to serve the clipboard.
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.once('error', () => {});
    child.stdin.end(text);
  });
}

function readers(): string[][] {
  const { WAYLAND_DISPLAY, DISPLAY, WSL_DISTRO_NAME } = process.env;
  const powershell = `Add-Type -A System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $s = [Console]::OpenStandardOutput(); $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); $m.WriteTo($s) }`;
  if (process.platform === 'darwin') return [['pngpaste', '-']];
  if (process.platform === 'win32') return [['powershell', '-NoProfile', '-STA', '-Command', powershell]];
  return [
    ...(WAYLAND_DISPLAY ? [['wl-paste', '--type', 'image/png']] : []),
    ...(DISPLAY ? [['xclip', '-selection', 'clipboard', '-target', 'image/png', '-out']] : []),
    ...(WSL_DISTRO_NAME ? [['powershell.exe', '-NoProfile', '-STA', '-Command', powershell]] : []),
  ];
}

/** The bytes of a PNG; undefined if there is no picture. */
export async function readClipboardPicture(): Promise<Buffer | undefined> {
  for (const [command = '', ...args] of readers()) {
    const bytes = await readFrom(command, args);
    if (bytes.length > 0) return bytes;
  }
  return undefined;
}

function readFrom(command: string, args: string[]): Promise<Buffer> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', () => resolve(Buffer.alloc(0)));
    child.once('close', (code) => resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0)));
  });
}
