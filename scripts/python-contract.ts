// The part of the Python client that is made from the contract: the error table, the results as dataclasses, what can be changed as typed
// dictionaries, and a method for each render and for uploads, with an argument for each field of its request.
import { errorCodes, errorTable } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import type { ObjectSchema, Schema } from '#shared/fields.ts';

/** The class in Python of each result. */
const results: [name: string, schema: string][] = [
  ['Upload', 'UploadResult'],
  ['HostedScreenshot', 'ScreenshotMetadata'],
  ['HostedPdf', 'PdfMetadata'],
  ['HostedRender', 'Render'],
  ['StoredUpload', 'Upload'],
  ['Album', 'Album'],
  ['UploadLink', 'UploadLink'],
  ['Usage', 'Usage'],
];

/** Requests of which each field may be left out, and some may be null: in Python, a dictionary. */
const dictionaries = ['UploadChanges', 'NewAlbum', 'AlbumChanges', 'NewUploadLink'];

const renders = [
  {
    kind: 'screenshot',
    request: 'ScreenshotRequest',
    hosted: 'HostedScreenshot',
    means: 'Captures a page',
    result: 'picture',
  },
  { kind: 'pdf', request: 'PdfRequest', hosted: 'HostedPdf', means: 'Prints a page', result: 'document' },
  {
    kind: 'render',
    request: 'RenderRequest',
    hosted: 'HostedRender',
    means: 'Renders a page, or HTML or Markdown with its files, by version 2 of the interface',
    result: 'outputs',
  },
];

const waitMs = limits.renderQueueMs + 15_000;
export const renderTimeoutsMs = {
  screenshot: limits.screenshotTotalMs + waitMs,
  pdf: limits.pdfTotalMs + waitMs,
  render: limits.renderTotalMs + waitMs,
};

/** Left out of repr(), which ends up in logs. */
const secrets: Record<string, string[]> = {
  Upload: ['delete_url'],
  StoredUpload: ['delete_url'],
  UploadLink: ['url', 'token'],
};

export function pythonContract(given: Record<string, ObjectSchema>): string {
  const { components } = buildOpenapi('http://localhost', 2) as unknown as {
    components: { schemas: Record<string, ObjectSchema> };
  };
  const schemaOf = (name: string): ObjectSchema => {
    const schema = given[name] ?? components.schemas[name];
    if (!schema) throw new Error(`the OpenAPI document has no schema ${name}`);
    return schema;
  };
  const methods = renders.flatMap(({ kind, request, hosted, means, result }) => [
    method({
      name: kind,
      schema: schemaOf(request),
      returns: 'Render',
      summary: `${means}.`,
      call: (fields) => `_render(${ask(kind, fields)})`,
    }),
    method({
      name: `hosted_${kind}`,
      schema: schemaOf(request),
      returns: hosted,
      summary: `${means}; the service hosts the ${result} at the url of the result. The fields are those of ${kind}.`,
      hosts: true,
      call: (fields) => `_result(${hosted}, ${ask(kind, fields)})`,
    }),
  ]);
  methods.push(
    method({
      name: 'queue_render',
      schema: schemaOf('RenderRequest'),
      returns: 'HostedRender',
      summary:
        'Queues a render and returns its receipt at once; wait_for_render waits for its end. The fields are those of render.',
      queues: true,
      call: (fields) => `_result(HostedRender, ${ask('render', fields)})`,
    }),
  );
  const calls = `class _RenderCalls:
    """The renders of Tintype. A field that is None is not sent, so the service's default holds."""

    def _ask(
        self, kind: str, fields: Dict[str, Any], timeout: Optional[float], idempotency_key: Optional[str],
        files: Optional[Iterable[File]] = None,
    ) -> _Answer:  # fmt: skip
        raise NotImplementedError

${methods.join('\n\n')}`;
  return [
    errors(),
    numbers(),
    ...results.map(([name, schema]) => dataclass(name, schemaOf(schema))),
    ...dictionaries.map((name) => dictionary(name, schemaOf(name))),
    calls,
    uploadCalls(schemaOf('UploadFromUrl')),
  ].join('\n\n\n');
}

const ask = (kind: string, fields: string): string =>
  `self._ask("${kind}", ${fields}, timeout, idempotency_key${kind === 'render' ? ', files' : ''})`;

function errors(): string {
  const rows = errorCodes.map((code) => {
    const { status, retryable } = errorTable[code];
    return `    "${code}": (${status}, ${retryable ? 'True' : 'False'}),\n`;
  });
  return `# The service's errors: the HTTP status, and whether the same request may succeed later.
_CONTRACT_ERRORS: Dict[str, Tuple[int, bool]] = {\n${rows.join('')}}`;
}

function numbers(): string {
  const seconds = Object.entries(renderTimeoutsMs).map(
    ([kind, ms]) => `"${kind}": ${(ms / 1000).toFixed(1)}`,
  );
  return `_MAX_FILE_BYTES = ${limits.fileBytes}
_MAX_BATCH_FILES = ${limits.batchFiles}
_MAX_BATCH_BYTES = ${limits.batchBytes}
_MAX_RENDER_FILE_BYTES = ${limits.renderFileBytes}
# How long to wait for a render: its own time limit, the queue, and 15 s for the network.
_RENDER_SECONDS = {${seconds.join(', ')}}`;
}

function dataclass(name: string, { properties }: ObjectSchema): string {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const comment = schema.description ? `    #: ${schema.description}\n` : '';
    return `${comment}    ${field}: ${typeOf(schema, 'Dict')}${secrets[name]?.includes(field) ? ' = field(repr=False)' : ''}\n`;
  });
  return `@dataclass(frozen=True)
class ${name}:
${fields.join('')}    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)`;
}

function dictionary(name: string, { properties }: ObjectSchema): string {
  const fields = Object.entries(properties).map(
    ([field, schema]) => `    #: ${schema.description}\n    ${field}: ${typeOf(schema, 'Mapping')}\n`,
  );
  return `class ${name}(TypedDict, total=False):\n${fields.join('').trimEnd()}`;
}

function uploadCalls({ properties }: ObjectSchema): string {
  const { url: _url, ...options } = properties;
  const parameters = Object.entries(options).map(
    ([field, rule]) => `        ${field}: Optional[${typeOf(rule, 'Mapping')}] = None,\n`,
  );
  const sent = Object.keys(options).map((field) => `            "${field}": ${field},\n`);
  return `class _UploadCalls:
    def _store(
        self, file: Optional[File], url: Optional[str], fields: Dict[str, Any], timeout: Optional[float],
        idempotency_key: Optional[str],
    ) -> StoredUpload:  # fmt: skip
        raise NotImplementedError

    def create(
        self,
        file: Optional[File] = None,
        *,
        url: Optional[str] = None,
${parameters.join('')}        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> StoredUpload:
        """Stores one image: a file, or the one at a public url, which the service fetches. Only this result has delete_url.

        ${meanings(options, '').join('\n        ')}
        """
        fields = {
${sent.join('')}        }
        return self._store(file, url, fields, timeout, idempotency_key)`;
}

/** A document of the request brings files along, each a file as for upload; (name, file) gives it a relative name. */
const files = 'files: Optional[Iterable[File]] = None';

interface Method {
  name: string;
  schema: ObjectSchema;
  returns: string;
  summary: string;
  hosts?: boolean;
  queues?: boolean;
  call(fields: string): string;
}

function method({ name, schema, returns, summary, hosts = false, queues = false, call }: Method): string {
  const { url: _url, response: _response, async: _async, webhook_url, ...rest } = schema.properties;
  const options = { ...rest, ...(queues && webhook_url && { webhook_url }) };
  const fields = Object.entries(options);
  const parameters = fields.map(([field, rule]) => `${field}: Optional[${typeOf(rule, 'Mapping')}] = None`);
  const common = [
    ...(name.endsWith('render') ? [files] : []),
    'timeout: Optional[float] = None',
    'idempotency_key: Optional[str] = None',
  ];
  const sent = [
    '"url": url',
    ...fields.map(([field]) => `"${field}": ${field}`),
    ...(hosts ? ['"response": "json"'] : []),
    ...(queues ? ['"async": True'] : []),
  ];
  const isBrief = hosts || queues;
  const help = isBrief ? [] : ['', ...meanings(options, '')];
  const source = schema.required?.includes('url') ? ['url: str'] : ['url: Optional[str] = None'];
  const lines = ['self', ...source, '*', ...parameters, ...common].map((line) => `        ${line},\n`);
  return `    def ${name}(
${lines.join('')}    ) -> ${returns}:
        """${[summary, ...help].join('\n        ').replaceAll(/ +$/gm, '')}${isBrief ? '' : '\n        '}"""
        fields = {
${sent.map((line) => `            ${line},\n`).join('')}        }
        return ${call('fields')}`;
}

/** Devices are two hundred. */
const maxShownChoices = 20;

/** A line for each field, and for those of a mapping: `margin["top"]: …`. */
function meanings(fields: Record<string, Schema>, outer: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = outer === '' ? name : `${outer}["${name}"]`;
    const { description = '', enum: choices, minimum, maximum, properties = {}, default: fallback } = field;
    const words = [
      `${path}: ${description}`,
      choices && choices.length <= maxShownChoices && `One of ${choices.join(', ')}.`,
      minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}.`,
      fallback !== undefined && !field.properties && `Default: ${literal(fallback)}.`,
    ];
    return [...wrapped(words.filter(Boolean).join(' ')), ...meanings(properties, path)];
  });
}

const columns = 110;

function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + 1 + word.length > columns) lines.push(`    ${word}`);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** `mapping`: what an object is called; a caller may give any mapping, and gets a dictionary. */
function typeOf(schema: Schema, mapping: 'Dict' | 'Mapping'): string {
  if (schema.anyOf) {
    const kinds = schema.anyOf.filter(({ type }) => type !== 'null').map((kind) => typeOf(kind, mapping));
    const union = unionOf(kinds);
    return kinds.length < schema.anyOf.length ? `Optional[${union}]` : union;
  }
  if (schema.$ref !== undefined) return `${mapping}[str, Any]`;
  if (schema.enum && schema.enum.length <= maxShownChoices)
    return `Literal[${schema.enum.map((choice) => JSON.stringify(choice)).join(', ')}]`;
  if (schema.type === 'object') {
    const kinds = Object.values(schema.properties ?? {}).map((kind) => typeOf(kind, mapping));
    return `${mapping}[str, ${unionOf(kinds)}]`;
  }
  if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, mapping)}]`;
  const names: Record<string, string> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };
  return names[schema.type ?? ''] ?? 'Any';
}

function unionOf(types: string[]): string {
  const [first = 'Any', ...others] = new Set(types);
  return others.length === 0 ? first : `Union[${[first, ...others].join(', ')}]`;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}
