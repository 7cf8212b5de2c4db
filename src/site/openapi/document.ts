// Builds the OpenAPI 3.1 document of each version from the schemas used for validation and the table of operations. Spec 9, 10.
import type { TSchema } from 'typebox';
import type { Version } from '#core/errors.ts';
import * as accountSchemas from '#api/account/schemas.ts';
import type { EndpointOf } from '#api/contract.ts';
import * as first from '#api/v1/schemas.ts';
import * as albumSchemas from '#api/v2/album-schemas.ts';
import { Link, LinkRequest } from '#api/v2/link-schemas.ts';
import * as second from '#api/v2/schemas.ts';
import { Upload, UploadChanges, UploadFromUrl, UploadList, Usage } from '#api/v2/upload-schemas.ts';
import { plain, reference } from '#site/openapi/content.ts';
import { createErrorResponses } from '#site/openapi/error-responses.ts';
import { errorExample } from '#site/openapi/examples-v2.ts';
import { headers, headersOfBoth, type Json } from '#site/openapi/headers.ts';
import { pathsOf, type Operation } from '#site/openapi/operation.ts';
import { albums } from '#site/openapi/operations/albums.ts';
import { hosted1, hosted2 } from '#site/openapi/operations/hosted.ts';
import { links } from '#site/openapi/operations/links.ts';
import { renders } from '#site/openapi/operations/renders.ts';
import { uploads } from '#site/openapi/operations/uploads.ts';
import { version1 } from '#site/openapi/operations/version-1.ts';
import { webhooks } from '#site/openapi/webhooks.ts';

/** An endpoint of the contract that is not described does not compile. */
const operations = {
  1: { ...version1, ...hosted1 },
  2: { ...renders, ...links, ...uploads, ...albums, ...hosted2 },
} satisfies { [V in Version]: Record<EndpointOf<V>, Operation> };

const { RenderRequest, OutputOptions, Render, Output, RenderList, Deleted, ErrorEnvelope } = second;
const { NewAlbum, AlbumChanges, Album, AlbumList, NewUploadLink, UploadLink, UploadLinkList } = albumSchemas;
const components2 = {
  RenderRequest,
  OutputOptions,
  Render,
  Output,
  RenderList,
  LinkRequest,
  Link,
  Upload,
  UploadChanges,
  UploadList,
  UploadFromUrl,
  NewAlbum,
  AlbumChanges,
  Album,
  AlbumList,
  NewUploadLink,
  UploadLink,
  UploadLinkList,
  Usage,
  Deleted,
  ErrorEnvelope,
};

const names = new Map(Object.entries(components2).map(([name, schema]) => [JSON.stringify(schema), name]));

/** The schema, in which each of the components is a reference. */
function withReferences(schema: TSchema): Json {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) => {
      const name = value === schema ? undefined : names.get(JSON.stringify(value));
      return name === undefined ? value : reference(name);
    }),
  ) as Json;
}

const documents = {
  1: {
    title: 'Tintype',
    version: '1.2.0',
    summary: 'Upload images, capture web pages, print them to PDF.',
    description:
      'Stores images and returns share links, captures public web pages as images, and prints public web pages to PDF. ' +
      'Rate limit and quota belong to the account and are shared by all of its keys.',
    tags: {
      Account: 'Read what a key of the account may see. Costs a request and no unit.',
      Hosted: 'What the links in answers lead to. They need no key.',
      Renders: 'Capture and print public web pages.',
      Uploads: 'Store images and get links.',
    },
    components: [...Object.entries<TSchema>(first), ...Object.entries<TSchema>(accountSchemas)],
    writeSchema: plain,
    headers,
    errorExample: undefined,
    further: {},
  },
  2: {
    title: 'Tintype, version 2',
    version: '2.0.0',
    summary: 'Render pages and documents as pictures, PDFs and text, and host pictures.',
    description:
      'Renders public web pages, and HTML or Markdown that comes with the request, as pictures, PDFs, text and data, and hosts pictures. ' +
      'Keys, rate limit and quota are those of version 1, which stands beside it.',
    tags: {
      Account: 'What the account has used.',
      Albums: 'One link for many uploads.',
      Hosted: 'The bytes of hosted pictures.',
      Links: 'Signed addresses that render when somebody opens them.',
      Renders: 'Make, queue, read, cancel and delete renders.',
      'Upload links': 'Let others upload, without a key.',
      Uploads: 'Store, find, change and delete pictures.',
      Webhooks: 'What the endpoints of an account are told of.',
    },
    components: Object.entries<TSchema>(components2),
    writeSchema: withReferences,
    headers: headersOfBoth,
    errorExample,
    further: { webhooks },
  },
};

export function buildOpenapi(baseUrl: string, ofVersion: Version = 1): Json {
  const { title, version, summary, description, tags, ...given } = documents[ofVersion];
  const errors = createErrorResponses(given.errorExample);
  const schemas = given.components.map(([name, schema]) => [name, given.writeSchema(schema)]);
  return {
    openapi: '3.1.0',
    info: { title, version, summary, description, ...operatorOf(baseUrl) },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths: pathsOf(ofVersion, operations[ofVersion], errors),
    ...given.further,
    components: {
      securitySchemes,
      schemas: Object.fromEntries(schemas) as Json,
      headers: given.headers,
      responses: errors.shared,
    },
  };
}

/** Whom to write to is for each operator to say; the start page of the installation is where to find it. */
const operatorOf = (baseUrl: string) => ({
  contact: {
    name: 'The operator of this installation',
    url: URL.canParse(baseUrl) ? baseUrl : 'http://localhost:3000',
  },
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
});

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the account, which begins with tt_.',
  },
};
