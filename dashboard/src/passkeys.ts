// Passkeys in this browser, with WebAuthn's JSON conversion methods.
import { useInstance } from '#app/session.ts';

interface JsonForms {
  parseCreationOptionsFromJSON?: (options: unknown) => PublicKeyCredentialCreationOptions;
  parseRequestOptionsFromJSON?: (options: unknown) => PublicKeyCredentialRequestOptions;
}

const forms = (): JsonForms =>
  typeof PublicKeyCredential === 'undefined' ? {} : (PublicKeyCredential as unknown as JsonForms);

/** A passkey is bound to the service's hostname and needs a secure context: https, or http on localhost. */
export function usePasskeySupport(): boolean {
  const { data: instance } = useInstance();
  return (
    instance !== undefined &&
    isSecureContext &&
    forms().parseRequestOptionsFromJSON !== undefined &&
    new URL(instance.base_url).origin === location.origin &&
    // WebAuthn does not accept IP addresses.
    !/^[\d.]+$|^\[/.test(location.hostname)
  );
}

export async function createPasskey(options: unknown): Promise<Record<string, unknown>> {
  return toJson(
    await navigator.credentials.create({ publicKey: forms().parseCreationOptionsFromJSON!(options) }),
  );
}

export async function askForPasskey(options: unknown): Promise<Record<string, unknown>> {
  return toJson(
    await navigator.credentials.get({ publicKey: forms().parseRequestOptionsFromJSON!(options) }),
  );
}

function toJson(credential: Credential | null): Record<string, unknown> {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser did not return a passkey.');
  return { ...(credential.toJSON() as object) };
}

/** Explains the browser's WebAuthn errors. */
export function passkeyProblem(error: Error): Error {
  if (error.name === 'NotAllowedError') return new Error('No passkey was chosen, or it took too long.');
  if (error.name === 'InvalidStateError')
    return new Error('This device already has a passkey for this account.');
  return error;
}
