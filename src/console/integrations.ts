// Configuration for other tools: a file or a few lines to paste, each with its own API key.
import { clientsVersion } from '#site/clients-version.ts';
import type { KeyScope } from '#storage/schema.ts';

interface Made {
  filename: string;
  content_type: string;
  content: string;
}

interface Integration {
  /** The name of its key. */
  name: string;
  scope: KeyScope;
  make: (baseUrl: string, key: string) => Made;
}

const script = (filename: string, content: string): Made => ({
  filename,
  content_type: 'text/x-shellscript',
  content,
});

/** Extracts this field from the JSON response, with tools that every system has. */
const field = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;

const upload = (baseUrl: string, key: string, file: string): string =>
  `curl -sS --fail-with-body ${baseUrl}/api/v1/upload -H 'Authorization: Bearer ${key}' -F ${file}`;

export const toolNames = ['client', 'tt', 'mcp', 'sharex', 'flameshot', 'macos', 'ios', 'shell'] as const;
export type ToolName = (typeof toolNames)[number];

export const integrations: Record<ToolName, Integration> = {
  client: {
    name: 'TypeScript client',
    scope: 'all',
    make: (baseUrl, key) => ({
      filename: 'example.ts',
      content_type: 'text/plain',
      content: `// npm install ${baseUrl}/clients/tintype-client-${clientsVersion}.tgz
import { Tintype } from '@tintype/client';

const tintype = new Tintype({ baseUrl: '${baseUrl}', apiKey: '${key}' });
const shot = await tintype.screenshot('https://example.com', { response: 'json' });
console.log(shot.url);
`,
    }),
  },
  tt: {
    name: 'tt',
    scope: 'all',
    make: (baseUrl, key) =>
      script(
        'tt.sh',
        `npm install -g ${baseUrl}/clients/tintype-cli-${clientsVersion}.tgz
printf %s '${key}' | tt login --url ${baseUrl}
tt --help
`,
      ),
  },
  mcp: {
    name: 'MCP server',
    scope: 'all',
    make: (baseUrl, key) => ({
      filename: 'mcp.json',
      content_type: 'application/json',
      content: `${JSON.stringify(
        {
          mcpServers: {
            tintype: {
              command: 'npx',
              args: ['-y', `${baseUrl}/clients/tintype-mcp-${clientsVersion}.tgz`],
              env: { TINTYPE_URL: baseUrl, TINTYPE_API_KEY: key },
            },
          },
        },
        null,
        2,
      )}\n`,
    }),
  },
  sharex: { name: 'ShareX', scope: 'uploads', make: sharex },
  flameshot: {
    name: 'Flameshot',
    scope: 'uploads',
    make: (baseUrl, key) =>
      screenshotScript(upload(baseUrl, key, '"file=@\\"$file\\""'), {
        capture: 'flameshot gui --raw > "$file"',
        copy: 'if command -v wl-copy >/dev/null; then wl-copy; else xclip -selection clipboard; fi',
        notify: `notify-send "$1" "$2" 2>/dev/null || printf '%s: %s\\n' "$1" "$2"`,
      }),
  },
  macos: {
    name: 'macOS shortcut',
    scope: 'uploads',
    make: (baseUrl, key) =>
      screenshotScript(upload(baseUrl, key, '"file=@\\"$file\\""'), {
        capture: 'screencapture -i "$file"',
        copy: 'pbcopy',
        // As arguments: text inside the AppleScript would be read as code.
        notify: `osascript -e 'on run argv' -e 'display notification (item 2 of argv) with title (item 1 of argv)' -e 'end run' "$1" "$2"`,
      }),
  },
  ios: {
    name: 'iOS shortcut',
    scope: 'uploads',
    make: (baseUrl, key) => ({
      filename: 'ios-shortcut.txt',
      content_type: 'text/plain',
      content: `URL: ${baseUrl}/api/v1/upload
Method: POST
Header: Authorization
Value: Bearer ${key}
Request body: Form
File field: file
`,
    }),
  },
  shell: { name: 'Shell', scope: 'uploads', make: shell },
};

/** Runs without a terminal, so its outcome is a notification; without a selection it does nothing. */
function screenshotScript(send: string, desktop: { capture: string; copy: string; notify: string }): Made {
  return script(
    'tintype-shot.sh',
    `#!/bin/sh
# Select a part of the screen; its link is in the clipboard.
copy() { ${desktop.copy}; }
notify() { ${desktop.notify}; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
file=$folder/screenshot.png
${desktop.capture}
[ -s "$file" ] || exit 0
if answer=$(${send} 2>&1); then
  link=$(printf '%s\\n' "$answer" | ${field('url')})
  printf '%s' "$link" | copy
  notify 'Uploaded' "$link"
else
  reason=$(printf '%s\\n' "$answer" | ${field('message')})
  notify 'Not uploaded' "\${reason:-$answer}"
  exit 1
fi
`,
  );
}

/** A custom uploader of ShareX: a double click installs it. */
function sharex(baseUrl: string, key: string): Made {
  const { host } = new URL(baseUrl);
  const uploader = {
    Version: '17.0.0',
    Name: `Tintype (${host})`,
    DestinationType: 'ImageUploader',
    RequestMethod: 'POST',
    RequestURL: `${baseUrl}/api/v1/upload`,
    Headers: { Authorization: `Bearer ${key}` },
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:url}',
    ThumbnailURL: '{json:file_url}',
    DeletionURL: '{json:delete_url}',
    ErrorMessage: '{json:error.message}',
  };
  return {
    filename: `tintype-${host.replaceAll(':', '-')}.sxcu`,
    content_type: 'application/json',
    content: `${JSON.stringify(uploader, null, 2)}\n`,
  };
}

/** A function for a shell's start-up file: `tintype picture.png` prints the link, or prints the reason and fails. */
function shell(baseUrl: string, key: string): Made {
  return script(
    'tintype.sh',
    `tintype() {
  local answer
  if answer=$(${upload(baseUrl, key, '"file=@\\"$1\\""')} 2>&1); then
    printf '%s\\n' "$answer" | ${field('url')}
  else
    # The reason that the service gives; where it gave none, what curl says.
    local reason
    reason=$(printf '%s\\n' "$answer" | ${field('message')})
    printf 'tintype: %s\\n' "\${reason:-$answer}" >&2
    return 1
  fi
}
`,
  );
}
