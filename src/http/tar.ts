// The tar format (POSIX ustar), only what is needed to write plain files.

const block = 512;

export const tarEnd = Buffer.alloc(2 * block);

/** Padding of a file's last block. */
export const tarPadding = (sizeBytes: number): Buffer => Buffer.alloc((block - (sizeBytes % block)) % block);

export function tarHeader(name: string, sizeBytes: number, modifiedAt: number): Buffer {
  const header = Buffer.alloc(block);
  const put = (text: string, offset: number) => header.write(text, offset, 'latin1');
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  if (name.length > 100) throw new Error(`${name} is too long for a tar header`);
  put(name, 0);
  put('0000644', 100);
  put('0000000', 108);
  put('0000000', 116);
  put(octal(sizeBytes, 11), 124);
  put(octal(Math.floor(modifiedAt / 1000), 11), 136);
  put('0', 156);
  put('ustar', 257);
  put('00', 263);
  // The checksum counts its own field as spaces.
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return header;
}
