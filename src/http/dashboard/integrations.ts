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

/** One line for a shell's start-up file: `tintype picture.png` prints the link. */
function shell(baseUrl: string, key: string) {
  const upload = `curl -sS --fail-with-body -w '\\n' ${baseUrl}/api/v1/upload -H 'Authorization: Bearer ${key}' -F "file=@$1"`;
  const link = `sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p'`;
  return {
    filename: 'tintype.sh',
    content_type: 'text/x-shellscript',
    content: `tintype() { ${upload} | ${link}; }\n`,
  };
}
