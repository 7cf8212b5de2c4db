/** The text without any of these characters at its end. A pattern such as `/+$` takes quadratic time over a long row of them. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
