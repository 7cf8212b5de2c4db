// Made by scripts/client-contract.ts from the OpenAPI document; not to be edited.

export const PdfRequest = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      format: 'uri',
      description: 'Public http(s) address. localhost, private hosts and internal IP ranges are rejected.',
    },
    paper_format: {
      type: 'string',
      enum: ['letter', 'a4', 'legal'],
      default: 'letter',
      description: 'Paper size.',
    },
    landscape: {
      type: 'boolean',
      default: false,
      description: 'Rotates the paper to landscape.',
    },
    print_background: {
      type: 'boolean',
      default: true,
      description: 'Include CSS background colors and images.',
    },
    prefer_css_page_size: {
      type: 'boolean',
      default: false,
      description: 'A CSS page size defined by the page overrides paper_format.',
    },
    scale: {
      type: 'number',
      minimum: 0.1,
      maximum: 2,
      default: 1,
      description: 'Scale of the printed content.',
    },
    margin: {
      type: 'object',
      properties: {
        top: {
          anyOf: [{
              type: 'number',
              minimum: 0,
              maximum: 2000,
            }, {
              type: 'string',
              maxLength: 16,
              pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
            }],
          default: 0,
          description: 'The top margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm.',
        },
        right: {
          anyOf: [{
              type: 'number',
              minimum: 0,
              maximum: 2000,
            }, {
              type: 'string',
              maxLength: 16,
              pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
            }],
          default: 0,
          description: 'The right margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm.',
        },
        bottom: {
          anyOf: [{
              type: 'number',
              minimum: 0,
              maximum: 2000,
            }, {
              type: 'string',
              maxLength: 16,
              pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
            }],
          default: 0,
          description: 'The bottom margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm.',
        },
        left: {
          anyOf: [{
              type: 'number',
              minimum: 0,
              maximum: 2000,
            }, {
              type: 'string',
              maxLength: 16,
              pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
            }],
          default: 0,
          description: 'The left margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm.',
        },
      },
      additionalProperties: false,
      default: {
      },
      description: 'Margins of the paper.',
    },
    viewport: {
      type: 'object',
      properties: {
        width: {
          type: 'integer',
          minimum: 320,
          maximum: 3840,
          default: 1440,
          description: 'Viewport width, in CSS pixels.',
        },
        height: {
          type: 'integer',
          minimum: 320,
          maximum: 2160,
          default: 900,
          description: 'Viewport height, in CSS pixels.',
        },
      },
      additionalProperties: false,
      default: {
      },
      description: 'Browser viewport applied before printing. Controls responsive layout, not paper size.',
    },
    wait_until: {
      type: 'string',
      enum: ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'],
      default: 'networkidle2',
      description: 'What the page must have reached before it is printed.',
    },
    delay_ms: {
      type: 'integer',
      minimum: 0,
      maximum: 10000,
      default: 0,
      description: 'Extra wait after readiness, in milliseconds.',
    },
  },
};

export const ScreenshotRequest = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      format: 'uri',
      description: 'Public http(s) address. localhost, private hosts and internal IP ranges are rejected.',
    },
    full_page: {
      type: 'boolean',
      default: false,
      description: 'Capture the full scrollable height.',
    },
    format: {
      type: 'string',
      enum: ['png', 'jpeg', 'webp'],
      default: 'png',
      description: 'Image format.',
    },
    width: {
      type: 'integer',
      minimum: 320,
      maximum: 3840,
      default: 1440,
      description: 'Viewport width, in CSS pixels.',
    },
    height: {
      type: 'integer',
      minimum: 320,
      maximum: 2160,
      default: 900,
      description: 'Viewport height, in CSS pixels.',
    },
  },
};
