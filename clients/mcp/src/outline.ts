// The accessibility tree of a page as lines for a model: role, name, and the box in the picture that shows it.

interface Node {
  role: string;
  name: string;
  box: { x: number; y: number; width: number; height: number } | null;
  children?: Node[];
  [property: string]: unknown;
}

/** `pictureHeights`: of the pictures of a page that is shown in parts; the boxes of the tree are in pixels of the first. */
export function outlineOf(tree: unknown, pictureHeights: number[] = []): string {
  const lines: string[] = [];
  const add = (node: Node, depth: number): void => {
    lines.push(`${'  '.repeat(Math.min(depth, 20))}${lineOf(node, pictureHeights)}`);
    for (const child of node.children ?? []) {
      // A text is named by what it is in.
      const isSaid = child.role === 'StaticText' && child.name.trim() === node.name.trim();
      if (!isSaid) add(child, depth + 1);
    }
  };
  add(tree as Node, 0);
  return lines.join('\n');
}

function lineOf({ role, name, box, children: _children, ...more }: Node, heights: number[]): string {
  const properties = Object.entries(more).map(([key, value]) => ` ${key}=${String(value)}`);
  return `${role} ${JSON.stringify(name)}${box ? ` ${placeOf(box, heights)}` : ''}${properties.join('')}`;
}

function placeOf({ x, y, width, height }: NonNullable<Node['box']>, heights: number[]): string {
  const [each = 0] = heights;
  const size = `${width} x ${height}`;
  if (heights.length < 2) return `[x ${x}, y ${y}, ${size}]`;
  const picture = Math.max(0, Math.floor(y / each));
  if (picture >= heights.length) return '[further down]';
  return `picture ${picture + 1} [x ${x}, y ${y - picture * each}, ${size}]`;
}
