// Writes the client's types, and the input schemas of its MCP tools, from the OpenAPI document. A test says when they are old.
// Run: node scripts/client-contract.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenapi } from '#http/openapi.ts';

interface Schema {
  type?: string;
  enum?: string[];
  description?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  default?: unknown;
}

const note = '// Made by scripts/client-contract.ts from the OpenAPI document; not to be edited.\n';

/** File below client/src → text. */
export function clientContract(): Record<string, string> {
  const { schemas } = buildOpenapi('http://localhost')['components'] as { schemas: Record<string, Schema> };
  const { ErrorEnvelope: envelope, ...rest } = schemas;
  const codes = envelope?.properties?.['error']?.properties?.['code'];
  if (!codes) throw new Error('the error envelope has no code');
  const types = Object.entries(rest).map(
    ([name, schema]) => `export interface ${name} ${typeOf(schema, '')}\n`,
  );
  const tools = Object.entries(rest).flatMap(([name, schema]) =>
    name.endsWith('Request') ? [`export const ${name} = ${value(toolInput(schema), '')};\n`] : [],
  );
  return {
    'contract.ts': [note, `export type ErrorCode =${union(codes.enum ?? [], '  ')};\n`, ...types].join('\n'),
    'mcp/tool-inputs.ts': [note, ...tools].join('\n'),
  };
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.anyOf) return schema.anyOf.map((option) => typeOf(option, indent)).join(' | ');
  if (schema.enum) return schema.enum.map((text) => `'${text}'`).join(' | ');
  if (schema.type === 'array') return `${grouped(typeOf(schema.items ?? {}, indent))}[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type !== 'object') return schema.type ?? 'unknown';
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const described = field.default === undefined ? '' : ` Default: ${JSON.stringify(field.default)}.`;
    const comment = field.description ? `${inner}/** ${field.description}${described} */\n` : '';
    return `${comment}${inner}${camel(name)}${mark}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** Bytes or a link: the tool decides that, not its caller. */
function toolInput({ properties = {}, ...schema }: Schema): Schema {
  const { response: _response, ...kept } = properties;
  return { ...schema, properties: kept };
}

function union(texts: string[], indent: string): string {
  return texts.map((text) => `\n${indent}| '${text}'`).join('');
}

/** A TypeScript literal, laid out as the formatter wants it. */
function value(data: unknown, indent: string): string {
  if (typeof data === 'string')
    return data.includes("'") ? JSON.stringify(data) : `'${data.replaceAll('\\', '\\\\')}'`;
  if (Array.isArray(data)) return `[${data.map((item) => value(item, `${indent}  `)).join(', ')}]`;
  if (data === null || typeof data !== 'object') return JSON.stringify(data);
  const lines = Object.entries(data).map(
    ([key, item]) => `${indent}  ${key}: ${value(item, `${indent}  `)},\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

const grouped = (type: string): string =>
  type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

if (import.meta.main) {
  for (const [file, text] of Object.entries(clientContract())) {
    writeFileSync(join(import.meta.dirname, '..', 'client', 'src', file), text);
  }
}
