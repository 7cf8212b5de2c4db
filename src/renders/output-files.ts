// What each format is as a file: its content type, its extensions, and whether browsers may show it in our origin. v2 2.
import type { Output, OutputFormat } from '#browser/job.ts';

interface OutputFile {
  /** As people write it. */
  name: string;
  contentType: string;
  /** The first is that of a download; all of them resolve. */
  extensions: [string, ...string[]];
  /** A document of a stranger: never shown, only downloaded. */
  isAttachment?: true;
}

export const outputFiles: Record<OutputFormat, OutputFile> = {
  png: { name: 'PNG', contentType: 'image/png', extensions: ['png'] },
  jpeg: { name: 'JPEG', contentType: 'image/jpeg', extensions: ['jpg', 'jpeg'] },
  webp: { name: 'WebP', contentType: 'image/webp', extensions: ['webp'] },
  pdf: { name: 'PDF', contentType: 'application/pdf', extensions: ['pdf'] },
  html: {
    name: 'HTML',
    contentType: 'text/html; charset=utf-8',
    extensions: ['html', 'htm'],
    isAttachment: true,
  },
  // Without a boundary, which only its first lines name: this is what Chromium calls a file that ends in .mhtml.
  mhtml: {
    name: 'MHTML',
    contentType: 'multipart/related',
    extensions: ['mhtml', 'mht'],
    isAttachment: true,
  },
  text: { name: 'Text', contentType: 'text/plain; charset=utf-8', extensions: ['txt'] },
  markdown: { name: 'Markdown', contentType: 'text/markdown; charset=utf-8', extensions: ['md'] },
  metadata: { name: 'Metadata', contentType: 'application/json', extensions: ['json'] },
  accessibility: { name: 'Accessibility tree', contentType: 'application/json', extensions: ['json'] },
};

/** The format of a render from before version 2, which recorded only the content type. */
export function formatOf(contentType: string): OutputFormat {
  const found = Object.entries(outputFiles).find(([, file]) => file.contentType === contentType);
  return (found?.[0] ?? 'png') as OutputFormat;
}

const extracts: OutputFormat[] = ['html', 'mhtml', 'text', 'markdown', 'metadata', 'accessibility'];
const pictures: OutputFormat[] = ['png', 'jpeg', 'webp'];
export const isPictureFormat = (format: OutputFormat): boolean => pictures.includes(format);
export const isExtract = (format: OutputFormat): boolean => extracts.includes(format);

/** Pictures and PDFs cost a unit each; the extracts of a load from which nothing else is made cost one together. */
export const unitsOf = (outputs: Output[]): number => chargedOf(outputs).length;

/** The places of the outputs that cost a unit. */
export function chargedOf(outputs: Pick<Output, 'format'>[]): number[] {
  const charged = [...outputs.keys()].filter((place) => !isExtract(outputs[place]!.format));
  return charged.length > 0 ? charged : [0];
}
