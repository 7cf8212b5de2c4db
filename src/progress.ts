// A progress bar on stderr, if that is a terminal.

const width = 30;

export function createProgress() {
  const output = process.stderr;
  let shown = '';
  return {
    show(title: string, done: number, total: number): void {
      if (!output.isTTY) return;
      const part = total === 0 ? 1 : done / total;
      const step = `${title} ${Math.floor(part * 500)}`;
      if (step === shown && done !== total) return;
      shown = step;
      const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
      const bar = '█'.repeat(Math.floor(part * width)).padEnd(width, '░');
      output.write(`\r\u001B[2K${title.padEnd(16)} ${bar} ${counts}`);
    },
    end(): void {
      if (shown !== '') output.write('\n');
      shown = '';
    },
  };
}
