// Makes an SVG safe to host: parses it as strict XML, keeps what is on the allow-list, and serializes the result. Anything unknown is
// left out; anything not well-formed is rejected. Spec 4.1.2.
import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import { invalid, ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { unsupportedType } from '#uploads/detect-type.ts';
import { elements, svgNamespace, textOnlyElements, xlinkNamespace } from '#uploads/svg/allow-list.ts';
import { decodeXml, firstElementName } from '#uploads/svg/decode-xml.ts';
import { declaredEntities } from '#uploads/svg/entities.ts';
import { filterAttributes } from '#uploads/svg/filter-attributes.ts';
import { filterStylesheet } from '#uploads/svg/filter-css.ts';
import { createUseExpansion } from '#uploads/svg/use-expansion.ts';

const maxDepth = 256;
const maxElements = 300_000;
const maxShownElements = 500_000;
const maxAttributes = 256;
/** How deep SVGs may be embedded in SVGs. */
const maxLevels = 2;
const flushAtCharacters = 16 * 1024;

interface Sanitized {
  bytes: Buffer;
  shownElements: number;
}

/** Pure and synchronous. A hostile file may take seconds, so the service calls it in a worker. */
export const sanitizeSvg = (bytes: Buffer): Buffer => sanitizeAt(bytes, 0).bytes;

function sanitizeAt(bytes: Buffer, level: number): Sanitized {
  const text = decodeXml(bytes);
  const name = firstElementName(text);
  if (name?.slice(name.indexOf(':') + 1) !== 'svg') throw unsupportedType();
  return rewrite(text, level);
}

/** An SVG inside that would be refused by itself is left out: a browser shows none that is broken. */
function sanitizeInside(bytes: Buffer, level: number): Sanitized | undefined {
  if (level > maxLevels) return undefined;
  try {
    return sanitizeAt(bytes, level);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function rewrite(text: string, level: number): Sanitized {
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  const refuse = (reason: string): never => {
    throw invalid('file', `line ${parser.line}: ${reason}`);
  };
  const uses = createUseExpansion(maxShownElements);
  const open: { name: string; isKept: boolean }[] = [];
  const flushed: Buffer[] = [];
  let [written, rootAttributes, stylesheet] = ['', '', ''];
  let [flushedBytes, elementCount, droppedDepth] = [0, 0, 0];
  let [usesXlink, startTagIsOpen, rootHasNoNamespace] = [false, false, false];

  /** Building megabytes of text piece by piece keeps the garbage collector busy, so it is moved to buffers now and then. */
  const flush = (): void => {
    flushed.push(Buffer.from(written));
    flushedBytes += flushed.at(-1)!.length;
    written = '';
    if (flushedBytes > limits.fileBytes) {
      throw new ServiceError('file_too_large', 'the sanitized SVG exceeds 10 MB', {
        details: { field: 'file' },
      });
    }
  };
  let shownInside = 0;
  const sanitizeEmbedded = (bytes: Buffer): Buffer | undefined => {
    const inside = sanitizeInside(bytes, level + 1);
    shownInside += inside?.shownElements ?? 0;
    return inside?.bytes;
  };
  const closeStartTag = (): void => {
    if (startTagIsOpen) written += '>';
    startTagIsOpen = false;
  };

  parser.on('error', (error) => {
    const reason = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    refuse(`not well-formed XML (${reason.slice(0, 120)})`);
  });
  parser.on('doctype', (doctype) => {
    parser.ENTITIES = declaredEntities(doctype, refuse);
  });

  parser.on('opentag', (tag) => {
    elementCount += 1;
    if (elementCount > maxElements) refuse(`the SVG has more than ${maxElements} elements`);
    if (open.length >= maxDepth) refuse(`the SVG nests elements deeper than ${maxDepth}`);
    // Counted here, because listening to the parser's attribute event halves its speed.
    if (Object.keys(tag.attributes).length > maxAttributes) {
      refuse(`an element has more than ${maxAttributes} attributes`);
    }
    // The parser looks for the namespace of each element in all elements around it; now it finds it in the next one.
    tag.ns[tag.prefix] ??= tag.uri;
    const isRoot = open.length === 0;
    if (isRoot) {
      if (tag.uri !== svgNamespace && tag.uri !== '') throw unsupportedType();
      rootHasNoNamespace = tag.uri === '';
    }
    shownInside = 0;
    const attributes =
      droppedDepth === 0 && isAllowed(tag) ? filterAttributes(tag, sanitizeEmbedded) : undefined;
    open.push({ name: tag.local, isKept: attributes !== undefined });
    if (attributes === undefined) {
      droppedDepth += 1;
      return;
    }
    uses.enter(attributes.id, attributes.useTarget, shownInside);
    usesXlink ||= attributes.usesXlink;
    if (isRoot) rootAttributes = attributes.text;
    else {
      closeStartTag();
      written += `<${tag.local}${attributes.text}`;
      startTagIsOpen = true;
    }
  });

  const isAllowed = (tag: SaxesTagNS): boolean => {
    const isSvg = tag.uri === svgNamespace || (tag.uri === '' && rootHasNoNamespace);
    const parent = open.at(-1)?.name ?? '';
    return isSvg && elements.has(tag.local) && !textOnlyElements.has(parent);
  };

  const onText = (characters: string): void => {
    if (droppedDepth > 0 || open.length === 0) return;
    if (open.at(-1)!.name === 'style') {
      stylesheet += characters;
      return;
    }
    closeStartTag();
    written += escapeText(characters);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);

  parser.on('closetag', () => {
    const { name, isKept } = open.pop()!;
    if (!isKept) {
      droppedDepth -= 1;
      return;
    }
    uses.leave();
    if (open.length === 0) return;
    if (name === 'style' && stylesheet !== '') {
      const css = filterStylesheet(stylesheet);
      stylesheet = '';
      if (css !== '') closeStartTag();
      written += escapeText(css);
    }
    written += startTagIsOpen ? '/>' : `</${name}>`;
    startTagIsOpen = false;
    if (written.length > flushAtCharacters) flush();
  });

  parser.write(text).close();
  const shownElements = uses.shownElements();
  if (shownElements > maxShownElements)
    throw invalid(
      'file',
      `its <use> elements and embedded SVGs expand to more than ${maxShownElements} elements`,
    );
  const xlink = usesXlink ? ` xmlns:xlink="${xlinkNamespace}"` : '';
  written += '</svg>\n';
  flush();
  flushed.unshift(Buffer.from(`<svg xmlns="${svgNamespace}"${xlink}${rootAttributes}>`));
  return { bytes: Buffer.concat(flushed), shownElements };
}

function escapeText(text: string): string {
  if (!/[&<>\r]/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
