/** The version of the clients under /clients/, for the addresses that documents print. Written by `npm run document`. */
export const clientsVersion = '0.1.18';
