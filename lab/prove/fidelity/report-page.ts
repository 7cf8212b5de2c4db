// Writes one HTML page with every comparison, the pictures next to each other, the worst first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { equalShare } from '#lab/prove/fidelity/compare.ts';
import type { Comparison, Side } from '#lab/prove/fidelity/compare.ts';

const thumbnail = { width: 600, height: 1200 };

/** Stores small pictures on the disk and drops the large ones, so that a thousand pages fit into memory. */
export function createReportPage(folder: string) {
  mkdirSync(folder, { recursive: true });
  const rows: { differs: number; html: string }[] = [];
  let last = 0;
  return {
    file: join(folder, 'index.html'),
    async add(comparison: Comparison): Promise<void> {
      const number = (last += 1);
      const cells = await Promise.all(
        (['ours', 'reference'] as const).map((side) =>
          cellOf(comparison[side], folder, `${number}-${side}.webp`),
        ),
      );
      const { page, mode, words, differs } = comparison;
      const about = `<td><b>${escape(page)}</b><br>${mode}<br>${escape(words)}</td>`;
      const mark = differs <= equalShare ? 'equal' : 'differs';
      rows.push({ differs, html: `<tr class="${mark}">${about}${cells.join('')}</tr>` });
    },
    write(summary: string[]): void {
      const sorted = rows.toSorted((a, b) => b.differs - a.differs).map(({ html }) => html);
      writeFileSync(
        join(folder, 'index.html'),
        `<!doctype html><meta charset="utf-8"><title>Fidelity</title><style>
          body { font: 14px sans-serif; margin: 2em } td { vertical-align: top; border-top: 1px solid #ccc; padding: 6px }
          td:first-child { width: 20em; overflow-wrap: anywhere } .differs td:first-child { background: #fdd }
          img { max-width: 600px; border: 1px solid #ccc }</style>
          <h1>Fidelity</h1>${summary.map((line) => `<p>${escape(line)}</p>`).join('')}
          <table><tr><th>page<th>Tintype<th>reference</tr>${sorted.join('\n')}</table>`,
      );
    },
  };
}

async function cellOf(side: Side, folder: string, name: string): Promise<string> {
  if (side.error !== undefined) return `<td>${escape(side.error)}</td>`;
  const ms = `${Math.round(side.ms)} ms`;
  if (!side.picture) return `<td>${ms}, ${side.pages} pages</td>`;
  const small = sharp(side.picture, { limitInputPixels: false }).resize({ ...thumbnail, fit: 'inside' });
  writeFileSync(join(folder, name), await small.webp({ quality: 60 }).toBuffer());
  return `<td>${ms}<br><img loading="lazy" src="${name}"></td>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
