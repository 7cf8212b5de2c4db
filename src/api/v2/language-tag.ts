// Language tags of BCP 47. Spec 10.
import { invalid } from '#core/errors.ts';

/** In its usual form: de-CH. */
export function languageTagOf(given: string, field: string): string {
  try {
    const [tag] = Intl.getCanonicalLocales(given);
    if (tag !== undefined) return tag;
  } catch {
    // Not a language tag.
  }
  throw invalid(field, `must be a language tag such as de-CH, not ${JSON.stringify(given)}`);
}
