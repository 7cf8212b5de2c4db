// Schemas of the links page.
import { object, text } from '#api/common-schemas.ts';

export const NameLinkKey = object({ name: text(1, 50) });
