// Reads the accessibility tree of a page at the moment of a picture, with the box of each node in that picture. One snapshot of the layout
// gives all boxes of a process; frames of other sites have their own. v2 4 (accessibility).
import type { Protocol } from 'devtools-protocol';
import { RenderFailure } from '#browser/browser.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { toTree, treeLimits, type Box, type FrameTree } from '#browser/page/extract/accessibility-tree.ts';
import { atMost, inTime } from '#browser/page/time/at-most.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { relativeToDocument } from '#browser/page/private-address.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { countNodes } from '#browser/page/in-page/count-nodes.ts';
import { evaluateInWorld } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import type { Projection } from '#browser/page/picture/projection.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { accessibilityMs, extractMs, farFramesMs } from '#browser/page/time/times.ts';

/** The tree has about as many, at 400 bytes each. */
const maxNodes = 60_000;
const maxFrames = 20;

export async function readAccessibility(attempt: Attempt, projection: Projection): Promise<MadeOutput> {
  const { page, deadline, begin } = attempt;
  begin('capture');
  const { signal: whole } = deadline;
  const count = await evaluateInWorld<number>(page, callOf(countNodes, maxNodes), extractMs, whole);
  if (count === undefined || count > maxNodes) throw tooLarge(`it has more than ${maxNodes} nodes`);
  const late = () => tooLarge(`it could not be read within ${accessibilityMs / 1000} s`);
  const { tree, isCut } = await inTime(accessibilityMs, whole, late, async (signal) =>
    toTree(await treeOf(page, projection, signal)),
  );
  return {
    bytes: Buffer.from(relativeToDocument(JSON.stringify(tree))),
    width: null,
    height: null,
    pages: null,
    cut: isCut ? cutWords : null,
  };
}

const cutWords = `the accessibility tree was cut: it has more than ${treeLimits.nodes} nodes, or texts of more than ${treeLimits.characters} characters`;

const tooLarge = (why: string): RenderFailure =>
  new RenderFailure('too_large', `the page is too large for an accessibility tree: ${why}`);

async function treeOf(page: Page, projection: Projection, signal: AbortSignal): Promise<FrameTree> {
  const { tree, read } = await treeOfProcess(page.session, () => projection, signal);
  await atMost(farFramesMs, signal, async (until) => {
    for (const [frameId, session] of [...page.frames].slice(0, maxFrames)) {
      try {
        const { backendNodeId } = await page.session.send('DOM.getFrameOwner', { frameId }, until);
        for (const { tree: outer, insideOf } of read) {
          const inside = insideOf(backendNodeId);
          const owner = inside && (await boxModelOf(page.session, backendNodeId, until));
          if (!owner) continue;
          const inner = await treeOfProcess(session, (shown) => inside(owner, shown), until);
          outer.frames.set(backendNodeId, inner.tree);
        }
      } catch (error) {
        // It has just gone, or is inside another frame of another site.
        if (!isRefusal(error)) throw error;
      }
    }
  });
  return tree;
}

type Shown = Protocol.DOMSnapshot.DocumentSnapshot;

interface ProcessTree {
  tree: FrameTree;
  /** Every document of the process: its tree, and how the document of a frame in it is shown. */
  read: { tree: FrameTree; insideOf: InsideOf }[];
}

/** Undefined if this node is not in the document, or not shown. */
type InsideOf = (ownerId: number) => ((owner: Protocol.DOM.BoxModel, inner: Shown) => Projection) | undefined;

/** Undefined if it is not shown. */
async function boxModelOf(
  session: CdpSession,
  backendNodeId: number,
  signal: AbortSignal,
): Promise<Protocol.DOM.BoxModel | undefined> {
  try {
    return (await session.send('DOM.getBoxModel', { backendNodeId }, signal)).model;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

async function treeOfProcess(
  session: CdpSession,
  project: (shown: Shown) => Projection,
  signal: AbortSignal,
): Promise<ProcessTree> {
  const read: ProcessTree['read'] = [];
  await session.send('Accessibility.enable', undefined, signal);
  try {
    const options = { computedStyles: [] };
    const { documents, strings } = await session.send('DOMSnapshot.captureSnapshot', options, signal);

    async function readDocument(shown: Shown, projection: Projection): Promise<FrameTree> {
      const isMain = shown === documents[0];
      const scope = isMain ? {} : { frameId: strings[shown.frameId]! };
      const { nodes } = await session.send('Accessibility.getFullAXTree', scope, signal);
      const { boxOf, insideOf, frames } = layoutOf(shown, projection);
      const tree: FrameTree = { nodes, boxOf, frames: new Map() };
      read.push({ tree, insideOf });
      for (const { ownerId, documentIndex } of frames) {
        const inner = documents[documentIndex];
        const inside = insideOf(ownerId);
        if (!inner || !inside || read.length > maxFrames) continue;
        const owner = await boxModelOf(session, ownerId, signal);
        if (owner) tree.frames.set(ownerId, await readDocument(inner, inside(owner, inner)));
      }
      return tree;
    }

    const [main] = documents;
    return { tree: await readDocument(main!, project(main!)), read };
  } finally {
    ignore(session.send('Accessibility.disable', undefined));
  }
}

/** The box around the corners of a quad. */
function around(quad: Protocol.DOM.Quad) {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** A frame may be shown larger or smaller than it is laid out; less than a pixel in all comes from rounding. */
const factorOf = (shown: number, laidOut: number): number =>
  laidOut === 0 || Math.abs(shown - laidOut) < 1 ? 1 : shown / laidOut;

function layoutOf({ nodes, layout }: Shown, projection: Projection) {
  const ids = nodes.backendNodeId ?? [];
  /** By the id of a node, where its layout is. */
  const places = new Map<number, number>();
  for (const [place, index] of layout.nodeIndex.entries())
    if (!places.has(ids[index]!)) places.set(ids[index]!, place);
  const { index: owners = [], value: documents = [] } = nodes.contentDocumentIndex ?? {};

  return {
    boxOf: (id: number) => toBox(layout.bounds[places.get(id) ?? -1], projection),
    /** The frames of the same process. */
    frames: owners.map((owner, at) => ({ ownerId: ids[owner]!, documentIndex: documents[at]! })),
    insideOf: ((ownerId) => {
      const place = places.get(ownerId);
      if (place === undefined) return undefined;
      const [left = 0, top = 0] = layout.bounds[place] ?? [];
      return (owner, { layout: { bounds }, scrollOffsetX = 0, scrollOffsetY = 0 }) => {
        const [border, content] = [around(owner.border), around(owner.content)];
        const [, , width = 0, height = 0] = bounds[0] ?? [];
        const [factorX, factorY] = [factorOf(content.width, width), factorOf(content.height, height)];
        // Boxes of a document are in CSS pixels from its start, wherever it is scrolled to.
        const [startX, startY] = [left + content.left - border.left, top + content.top - border.top];
        return {
          x: (x) => projection.x(startX + (x - scrollOffsetX) * factorX),
          y: (y) => projection.y(startY + (y - scrollOffsetY) * factorY),
        };
      };
    }) satisfies InsideOf,
  };
}

/** Drawn boxes begin and end at whole CSS pixels; those of the picture are whole too, outwards. */
function toBox(bounds: number[] | undefined, projection: Projection): Box | null {
  const [left, top, width, height] = bounds ?? [];
  if (left === undefined || top === undefined || width === undefined || height === undefined) return null;
  const [x, y] = [projection.x(Math.round(left)), projection.y(Math.round(top))].map(Math.floor) as [
    number,
    number,
  ];
  return {
    x,
    y,
    width: Math.ceil(projection.x(Math.round(left + width))) - x,
    height: Math.ceil(projection.y(Math.round(top + height))) - y,
  };
}
