// Reads from a PDF what tests need: the paper of each page and its filled rectangles. Supports only what Chromium writes.
import { inflateSync } from 'node:zlib';

export interface PdfPage {
  widthPt: number;
  heightPt: number;
  /** In points from the top left corner. */
  fills: { colour: string; x: number; y: number; width: number; height: number }[];
}

type Matrix = [number, number, number, number, number, number];

export function readPdf(bytes: Buffer): PdfPage[] {
  const text = bytes.toString('latin1');
  const objects = new Map<string, { body: string; stream: Buffer | undefined }>();
  for (const match of text.matchAll(/(\d+) 0 obj\n/g)) {
    const start = match.index + match[0].length;
    const body = text.slice(start, text.indexOf('endobj', start));
    const streamAt = body.indexOf('stream\n');
    const length = Number(/\/Length (\d+)/.exec(body)?.[1] ?? 0);
    const stream =
      streamAt === -1 ? undefined : bytes.subarray(start + streamAt + 7, start + streamAt + 7 + length);
    objects.set(match[1]!, { body: streamAt === -1 ? body : body.slice(0, streamAt), stream });
  }
  return [...objects.values()]
    .filter(({ body }) => /\/Type \/Page\b(?!s)/.test(body))
    .map(({ body }) => {
      const [, , widthPt = 0, heightPt = 0] = (/\/MediaBox \[([^\]]+)\]/.exec(body)?.[1] ?? '')
        .trim()
        .split(' ')
        .map(Number);
      const content = objects.get(/\/Contents (\d+) 0 R/.exec(body)?.[1] ?? '')?.stream;
      return {
        widthPt,
        heightPt,
        fills: content ? fillsOf(inflateSync(content).toString('latin1'), heightPt) : [],
      };
    });
}

function fillsOf(content: string, heightPt: number): PdfPage['fills'] {
  const fills: PdfPage['fills'] = [];
  const saved: { matrix: Matrix; colour: string }[] = [];
  let state: { matrix: Matrix; colour: string } = { matrix: [1, 0, 0, 1, 0, 0], colour: '0 0 0' };
  let operands: number[] = [];
  let path: number[][] = [];
  for (const token of content.split(/\s+/)) {
    const number = Number(token);
    if (token !== '' && !Number.isNaN(number)) {
      operands.push(number);
      continue;
    }
    if (token === 'q') saved.push({ ...state });
    else if (token === 'Q') state = saved.pop() ?? state;
    else if (token === 'cm') state.matrix = multiply(operands.slice(-6) as Matrix, state.matrix);
    else if (token === 'rg')
      state.colour = operands
        .slice(-3)
        .map((part) => Math.round(part * 255))
        .join(' ');
    else if (token === 're') path.push(operands.slice(-4));
    else if (token === 'f' || token === 'f*') {
      for (const [x = 0, y = 0, width = 0, height = 0] of path) {
        const [left, top] = apply(state.matrix, x, y);
        const [right, bottom] = apply(state.matrix, x + width, y + height);
        fills.push({
          colour: state.colour,
          x: left,
          y: heightPt - top,
          width: right - left,
          height: top - bottom,
        });
      }
      path = [];
    } else if (token === 'n') path = [];
    operands = [];
  }
  return fills;
}

function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}

function apply(matrix: Matrix, x: number, y: number): [number, number] {
  return [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]];
}
