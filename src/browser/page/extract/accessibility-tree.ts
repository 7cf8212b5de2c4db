// The accessibility tree of a page as the client gets it: what assistive technology would say of each part, and where it is in the
// picture. Everything in it comes from the page, so its size is bounded here. v2 4 (accessibility).
import type { Protocol } from 'devtools-protocol';

type AXNode = Protocol.Accessibility.AXNode;

/** In pixels of the picture; outside of it, if the picture does not show the node. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface TreeNode {
  role: string;
  name: string;
  /** Null for what has no box, such as an option of a closed list. */
  box: Box | null;
  value?: string | number;
  description?: string;
  children?: TreeNode[];
  /** Its other properties, such as `level`, `checked`, `disabled`. */
  [property: string]: unknown;
}

/** The tree of one frame, with the boxes of its nodes in the picture. */
export interface FrameTree {
  nodes: AXNode[];
  boxOf(backendNodeId: number): Box | null;
  /** By the node that shows the frame. */
  frames: Map<number, FrameTree>;
}

interface Limits {
  nodes: number;
  /** The length of a name, a value or a description. */
  characters: number;
  /** Nodes further down are siblings of the last that fits: JSON that is nested without end cannot be written. */
  depth: number;
}

export const treeLimits: Limits = { nodes: 20_000, characters: 1_000, depth: 100 };

const kept: ReadonlySet<string> = new Set([
  'checked',
  'disabled',
  'expanded',
  'focused',
  'hasPopup',
  'invalid',
  'level',
  'modal',
  'multiselectable',
  'orientation',
  'pressed',
  'readonly',
  'required',
  'roledescription',
  'selected',
  'url',
  'valuemax',
  'valuemin',
]);

/** `isCut`: there was more than the limits allow. */
export function toTree(root: FrameTree, limits = treeLimits): { tree: TreeNode; isCut: boolean } {
  let count = 0;
  let isCut = false;

  const bounded = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const text = value.toWellFormed();
    if (text.length <= limits.characters) return text;
    isCut = true;
    return text.slice(0, limits.characters).toWellFormed();
  };

  function nodeOf(node: AXNode, frame: FrameTree): TreeNode {
    const made: TreeNode = {
      role: String(bounded(node.role?.value ?? 'unknown')),
      name: String(bounded(node.name?.value ?? '')),
      box: node.backendDOMNodeId === undefined ? null : frame.boxOf(node.backendDOMNodeId),
    };
    const { value, description } = node;
    if (isWord(value?.value)) made.value = bounded(value?.value) as string | number;
    if (isWord(description?.value)) made.description = String(bounded(description?.value));
    for (const property of node.properties ?? []) {
      const given: unknown = property.value.value;
      // The address of a document may hold secrets, and the receipt has it without its query string.
      if (property.name === 'url' && made.role === 'RootWebArea') continue;
      if (kept.has(property.name) && given !== false && given !== 'false' && isScalar(given))
        made[property.name] = bounded(given);
    }
    return made;
  }

  /** A stack of its own: a page may be nested more deeply than functions may be. */
  function build(): TreeNode {
    const top: TreeNode = { role: 'none', name: '', box: null, children: [] };
    const waiting: { node: AXNode; frame: FrameTree; parent: TreeNode; depth: number }[] = [];
    const byId = new Map<FrameTree, Map<string, AXNode>>();

    const enter = (frame: FrameTree, parent: TreeNode, depth: number): void => {
      byId.set(frame, new Map(frame.nodes.map((node) => [node.nodeId, node])));
      const [first] = frame.nodes;
      if (first) waiting.push({ node: first, frame, parent, depth });
    };

    enter(root, top, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node, frame, parent, depth } = next;
      let holder = parent;
      if (isShown(node)) {
        if (count === limits.nodes) {
          isCut = true;
          break;
        }
        count += 1;
        const made = nodeOf(node, frame);
        (parent.children ??= []).push(made);
        if (depth < limits.depth) holder = made;
      }
      const below = holder === parent ? depth : depth + 1;
      const inner = node.backendDOMNodeId === undefined ? undefined : frame.frames.get(node.backendDOMNodeId);
      if (inner) enter(inner, holder, below);
      for (const id of (node.childIds ?? []).toReversed()) {
        const child = byId.get(frame)?.get(id);
        if (child) waiting.push({ node: child, frame, parent: holder, depth: below });
      }
    }
    return top.children?.[0] ?? top;
  }

  return { tree: build(), isCut };
}

/** Boxes without a name say nothing, and lines of a text are in the text. */
function isShown({ ignored, role, name }: AXNode): boolean {
  if (ignored || role?.value === 'InlineTextBox') return false;
  return (role?.value !== 'generic' && role?.value !== 'none') || isWord(name?.value);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

const isWord = (value: unknown): value is string | number => isScalar(value) && value !== '';
