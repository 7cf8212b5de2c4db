// Files that make other tools upload here, with a key inside.

export function integrationFile(tool: 'sharex' | 'shell', baseUrl: string, key: string) {
  return tool === 'sharex' ? sharex(baseUrl, key) : shell(baseUrl, key);
}

/** A custom uploader of ShareX: a double click installs it. */
function sharex(baseUrl: string, key: string) {
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

/** A function for a shell's start-up file: `tintype picture.png` prints the link, or the reason and fails. */
function shell(baseUrl: string, key: string) {
  const upload = `curl -sS --fail-with-body ${baseUrl}/api/v1/upload -H 'Authorization: Bearer ${key}' -F "file=@$1"`;
  const field = (name: string) => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  return {
    filename: 'tintype.sh',
    content_type: 'text/x-shellscript',
    content: `tintype() {
  local answer
  if answer=$(${upload} 2>&1); then
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
  };
}
