// Schemas of the links page.
import { object, text } from '#http/dashboard/schemas/common.ts';

export const NameLinkKey = object({ name: text(1, 50) });
