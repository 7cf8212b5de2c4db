// The value of a header that may have parameters: `multipart/form-data` of `Multipart/Form-Data; boundary=x`.

export const valueOf = (header: string | undefined): string =>
  (header ?? '').split(';', 1).join('').trim().toLowerCase();
