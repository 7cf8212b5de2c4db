// Written by `npm run document`, which raises it when the clients have changed.
export const version = '0.1.18';
