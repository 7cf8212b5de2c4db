// Filters the attributes of one element: keeps those on the allow-list, and checks each value by what it can do.
import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import {
  animatingElements,
  animationValues,
  geometryAttributes,
  imageElements,
  presentationAttributes,
  textAttributePrefixes,
  textAttributes,
  xlinkNamespace,
  xmlAttributes,
  xmlNamespace,
} from '#uploads/svg/allow-list.ts';
import { filterPicture, type SanitizeEmbedded } from '#uploads/svg/embedded-picture.ts';
import { filterDeclarations, filterValue, filterValues } from '#uploads/svg/filter-css.ts';

export interface FilteredAttributes {
  /** Serialized, to be appended to the element's name. */
  text: string;
  id: string | undefined;
  /** The id that a `use` shows. */
  useTarget: string | undefined;
  usesXlink: boolean;
}

/** Undefined if an attribute requires the whole element to be removed. */
export function filterAttributes(
  tag: SaxesTagNS,
  sanitizeEmbedded: SanitizeEmbedded,
): FilteredAttributes | undefined {
  const filtered: FilteredAttributes = { text: '', id: undefined, useTarget: undefined, usesXlink: false };
  if (animatingElements.has(tag.local) && !isAnimatable(tag.attributes['attributeName']?.value))
    return undefined;
  if (tag.local === 'style' && !/^\s*(?:text\/css\s*)?$/i.test(tag.attributes['type']?.value ?? ''))
    return undefined;
  for (const attribute of Object.values(tag.attributes)) {
    const name = outputName(attribute);
    const value =
      name === undefined ? undefined : filterAttribute(tag, name, attribute.value, sanitizeEmbedded);
    if (name === undefined || value === undefined) continue;
    filtered.text += ` ${name}="${escapeAttribute(value)}"`;
    if (name === 'id') filtered.id = value;
    if (name === 'xlink:href') filtered.usesXlink = true;
    if (tag.local === 'use' && isReference(name)) {
      // If both are present, a browser uses the plain one.
      if (name === 'href' || filtered.useTarget === undefined) filtered.useTarget = value.slice(1);
    }
  }
  return filtered;
}

/** A document may use any prefix; the output always uses the usual one. */
function outputName({ uri, local, prefix }: SaxesAttributeNS): string | undefined {
  if (uri === '' && prefix === '') return local;
  if (uri === xlinkNamespace && local === 'href') return 'xlink:href';
  return uri === xmlNamespace && xmlAttributes.has(local) ? `xml:${local}` : undefined;
}

const isReference = (name: string): boolean => name === 'href' || name === 'xlink:href';

const isAnimatable = (name: string | undefined): boolean =>
  name !== undefined &&
  (presentationAttributes.has(name) || geometryAttributes.has(name) || ['class', 'values'].includes(name));

function filterAttribute(
  tag: SaxesTagNS,
  name: string,
  value: string,
  sanitizeEmbedded: SanitizeEmbedded,
): string | undefined {
  const element = tag.local;
  // None of these attributes takes a URL, so dropping a value that contains one damages no picture.
  if (geometryAttributes.has(name)) return /url\s*\(/i.test(value) ? undefined : value;
  if (textAttributes.has(name) || name.startsWith('xml:')) return value;
  if (presentationAttributes.has(name)) return filterValue(name, value);
  if (animationValues.has(name)) {
    const property = tag.attributes['attributeName']?.value ?? '';
    return name === 'values' ? filterValues(property, value) : filterValue(property, value);
  }
  if (name === 'style') return filterDeclarations(value) || undefined;
  if (isReference(name)) return filterReference(element, value.trim(), sanitizeEmbedded);
  // Its value was checked with the element.
  if (name === 'attributeName') return animatingElements.has(element) ? value : undefined;
  return textAttributePrefixes.some((prefix) => name.startsWith(prefix)) ? value : undefined;
}

/** Links lead out of the picture, so they are removed; other references may point into the same document. */
function filterReference(
  element: string,
  address: string,
  sanitizeEmbedded: SanitizeEmbedded,
): string | undefined {
  if (element === 'a') return undefined;
  // For an image, a fragment would load the whole document again.
  if (address.startsWith('#')) return element === 'image' ? undefined : address;
  return imageElements.has(element) ? filterPicture(address, sanitizeEmbedded) : undefined;
}

/** Unescaped line breaks would be read back as spaces. */
function escapeAttribute(value: string): string {
  if (!/[&<>"\t\n\r]/.test(value)) return value;
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;');
}
