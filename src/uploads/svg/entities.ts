// Reads the plain-text entities that a doctype declares, which older drawing programs use for namespaces. The rest of the doctype is
// dropped, so attribute defaults, parameter entities and external files never take effect.

const maxDeclared = 256;
const maxNameCharacters = 100;
const maxExpandedCharacters = 256 * 1024;
const predefined: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An entity that is undeclared or external is undefined for the parser, which then rejects the document. */
export function declaredEntities(doctype: string, refuse: (reason: string) => never): Record<string, string> {
  const entities: Record<string, string> = Object.assign(Object.create(null), predefined);
  let [declared, expanded] = [0, 0];
  for (const { name, value } of entityDeclarations(doctype)) {
    const text = plainText(value);
    if (name in entities) continue;
    declared += 1;
    if (declared > maxDeclared) refuse(`the SVG declares more than ${maxDeclared} entities`);
    Object.defineProperty(entities, name, {
      enumerable: true,
      get: () => {
        if (text === undefined) return refuse(`the entity "${name}" is not plain text`);
        expanded += text.length;
        if (expanded > maxExpandedCharacters)
          refuse(`its entities expand to more than ${maxExpandedCharacters} characters`);
        return text;
      },
    });
  }
  return entities;
}

/** Walks the internal subset; comments, processing instructions and quoted values may contain anything. */
function* entityDeclarations(doctype: string): Generator<{ name: string; value: string }> {
  const marks = /<!--|<\?|<!ENTITY\s|["']/g;
  for (let mark = marks.exec(doctype); mark !== null; mark = marks.exec(doctype)) {
    const close = { '<!--': '-->', '<?': '?>', '"': '"', "'": "'" }[mark[0]];
    if (close === undefined) {
      const declaration = /\s*([^\s%"'<>&]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/y;
      declaration.lastIndex = marks.lastIndex;
      const [whole, name, double, single] = declaration.exec(doctype) ?? [];
      if (whole === undefined || name === undefined || name.length > maxNameCharacters) continue;
      marks.lastIndex += whole.length;
      yield { name, value: double ?? single ?? '' };
    } else {
      const end = doctype.indexOf(close, marks.lastIndex);
      if (end < 0) return;
      marks.lastIndex = end + close.length;
    }
  }
}

/** The value with its character references resolved; undefined if it contains markup or other entities. */
function plainText(value: string): string | undefined {
  if (value.length > 4096) return undefined;
  const text = value.replaceAll(
    /&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi,
    (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
  return /[<&%\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/u.test(text) ? undefined : text;
}
