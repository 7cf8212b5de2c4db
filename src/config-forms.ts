// The types of configuration variables: how each is parsed and how it is described.
import { parseAddress, parseBlock } from '#core/address.ts';
import { PlansFile, type Plan } from '#accounts/plans.ts';
import { validate } from '#http/body/validate.ts';

export interface Variable<T> {
  description: string;
  /** The form a value must have, as shown in the error message. */
  expected: string;
  /** The default as shown in the documentation. */
  shownDefault: string;
  /** Returns undefined when the text does not have the expected form; throws when there is a more precise reason. */
  parse: (text: string) => T | undefined;
  default: T;
  /** May hold a password: it is never shown, and NAME_FILE may name a file that holds it. */
  isSecret?: true;
}

export interface StorageLocation {
  bucket: string;
  endpoint: string | undefined;
  region: string | undefined;
  prefix: string;
}

export function text(fallback: string, description: string): Variable<string> {
  return {
    description,
    expected: 'text',
    shownDefault: fallback,
    parse: (value) => value,
    default: fallback,
  };
}

export function optional<T>(
  shownDefault: string,
  description: string,
  expected: string,
  parse: (value: string) => T | undefined,
): Variable<T | undefined> {
  return { description, expected, shownDefault, parse, default: undefined };
}

export const secret = <T>(variable: Variable<T>): Variable<T> => ({ ...variable, isSecret: true });

export function integer(fallback: number, min: number, max: number, description: string): Variable<number> {
  return {
    description,
    expected: `an integer from ${min} to ${max}`,
    shownDefault: String(fallback),
    parse: (value) => integerFrom(value, min, max),
    default: fallback,
  };
}

function integerFrom(value: string, min: number, max: number): number | undefined {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

export const parsePort = (value: string): number | undefined => integerFrom(value, 1, 65_535);

export function oneOf<T extends string>(
  fallback: T,
  choices: readonly T[],
  description: string,
): Variable<T> {
  return {
    description,
    expected: `one of ${choices.join(', ')}`,
    shownDefault: fallback,
    parse: (value) => choices.find((choice) => choice === value),
    default: fallback,
  };
}

export function parseBaseUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/') return undefined;
  return url.origin;
}

/** Kept as it is written: it must equal what the provider says of itself, to the last slash. */
export function parseIssuer(value: string): string | undefined {
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return url.username || url.password || url.search || url.hash ? undefined : value;
}

/** Narrower than that of other accounts: the owner gets a sign-in link at once, and signing in takes no others. */
export const parseEmail = (value: string): string | undefined =>
  /^[\w+'.-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(value) ? value.toLowerCase() : undefined;

export const parseWord = (value: string): string | undefined =>
  /^[\x21-\x7e]{1,1000}$/.test(value) ? value : undefined;

export function parseOrigins(value: string): string[] | undefined {
  const origins = value.split(',').map((part) => parseOrigin(part.trim()));
  return origins.every((origin) => origin !== undefined) ? origins : undefined;
}

/** As a browser writes it in the Origin header: in lower case, without the default port. */
function parseOrigin(value: string): string | undefined {
  if (value === '*') throw new Error('* would let every page call the API; name the origins');
  if (value === 'null') throw new Error('null is the origin of every sandboxed frame and every local file');
  if (/^https?:/i.test(value)) return parseBaseUrl(value);
  // Browser extensions and app web views use their own schemes.
  const origin = value.toLowerCase();
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(origin) ? origin : undefined;
}

export function parseDatabaseUrl(value: string): string | undefined {
  const url = URL.parse(value);
  const isPostgres = url && ['postgres:', 'postgresql:'].includes(url.protocol);
  // An unescaped slash in a password would put the rest of it into the path, and the database's error would show it.
  return isPostgres && url.hostname !== '' && /^\/[^/@]+$/.test(url.pathname) ? value : undefined;
}

export function parseStorageUrl(value: string): StorageLocation | undefined {
  const url = URL.parse(value);
  if (url?.protocol !== 's3:' || url.username || url.password || url.port || url.hash) return undefined;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    throw new Error('the name of a bucket has 3 to 63 lower-case letters, digits, dots and hyphens');
  if (!['', '/'].includes(url.pathname)) throw new Error('a folder in the bucket goes into prefix=');
  const { endpoint, region, prefix = '', ...unknown } = Object.fromEntries(url.searchParams);
  if (Object.keys(unknown).length > 0) return undefined;
  if (endpoint !== undefined && parseBaseUrl(endpoint) === undefined) return undefined;
  // S3 stores other than AWS accept any region, but the signature needs one.
  return {
    bucket: url.hostname,
    endpoint,
    region: region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    prefix,
  };
}

export function parseSmtpUrl(value: string): string | undefined {
  const url = URL.parse(value);
  const isSmtp = url && ['smtp:', 'smtps:'].includes(url.protocol);
  return isSmtp && url.hostname !== '' && ['', '/'].includes(url.pathname) ? value : undefined;
}

export function parseTrustProxy(value: string): boolean | number | string[] | undefined {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const parts = value.split(',').map((part) => part.trim());
  return parts.every(isAddressBlock) ? parts : undefined;
}

const isAddressBlock = (text: string): boolean =>
  parseAddress(text) !== undefined || parseBlock(text) !== undefined;

/** The three that identify service and provider belong together, and the others need them. */
export function readOidc(
  values: {
    OIDC_ISSUER: string | undefined;
    OIDC_CLIENT_ID: string | undefined;
    OIDC_CLIENT_SECRET: string | undefined;
    OIDC_NAME: string | undefined;
    OIDC_SIGNUPS: 'open' | 'closed' | undefined;
  },
  isSet: (name: string) => boolean,
  mistakes: string[],
) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  const given = Object.keys(values).filter((name) => name.startsWith('OIDC_') && isSet(name));
  const missing = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'].filter((name) => !isSet(name));
  if (given.length > 0 && missing.length > 0)
    mistakes.push(
      `${given.join(', ')} without ${missing.join(', ')}: set all three of the provider, or none`,
    );
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { OIDC_NAME: name = new URL(issuer).host, OIDC_SIGNUPS: signups } = values;
  return { issuer, clientId, clientSecret, name, signups };
}

/** Throws with the field and the reason, such as `plans[0].name: missing`. */
export function parsePlans(json: string): Plan[] {
  const { plans } = validate(PlansFile, JSON.parse(json));
  const repeated = plans.find((plan, index) => plans.findIndex(({ id }) => id === plan.id) !== index);
  if (repeated) throw new Error(`plans: "${repeated.id}" is there twice`);
  return plans;
}
