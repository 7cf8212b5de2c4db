// What the lists of an account's uploads and renders can be asked for.
import { Type } from 'typebox';
import { uploadOrders } from '#storage/owned/uploads.ts';
import { choice, object, pageQuery } from '#api/common-schemas.ts';

export const uploadsFilter = {
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the filename, at most 100 characters, in any case.',
    }),
  ),
  type: Type.Optional(
    choice(['png', 'jpeg', 'gif', 'webp', 'svg', 'avif'], { description: 'Only images of this type.' }),
  ),
  expiry: Type.Optional(
    choice(['never', 'some', 'soon'], {
      description: 'Only links that never expire, that do, or that expire within seven days.',
    }),
  ),
};
export const uploadOrder = Type.Optional(
  choice(uploadOrders, {
    default: 'newest',
    description: 'The order. By size and by name, only the newest 20,000 are sorted.',
  }),
);
export const UploadsQuery = object({ ...pageQuery, ...uploadsFilter, sort: uploadOrder });

export const rendersFilter = {
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Part of the target address, at most 100 characters.' }),
  ),
  kind: Type.Optional(choice(['screenshot', 'pdf'], { description: 'Only renders of this kind.' })),
  status: Type.Optional(choice(['done', 'failed'], { description: 'Only renders that ended like this.' })),
};
export const RendersQuery = object({ ...pageQuery, ...rendersFilter });
