// A progress bar on stderr. When stderr is not a terminal, a line for every 5 percent.

const width = 30;

export function createProgress() {
  const output = process.stderr;
  let shown = '';
  return {
    show(title: string, done: number, total: number): void {
      const part = total === 0 ? 1 : done / total;
      const step = `${title} ${Math.floor(part * (output.isTTY ? 500 : 20))}`;
      if (step === shown && done !== total) return;
      shown = step;
      const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
      const bar = '█'.repeat(Math.floor(part * width)).padEnd(width, '░');
      output.write(
        output.isTTY ? `\r\u001B[2K${title.padEnd(16)} ${bar} ${counts}` : `${title}: ${counts}\n`,
      );
    },
    end(): void {
      if (output.isTTY && shown !== '') output.write('\n');
      shown = '';
    },
  };
}
