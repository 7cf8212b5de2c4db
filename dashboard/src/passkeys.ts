// Passkeys in this browser, over the platform's own JSON forms.
import { useInstance } from '#app/session.ts';

interface JsonForms {
  parseCreationOptionsFromJSON?: (options: unknown) => PublicKeyCredentialCreationOptions;
  parseRequestOptionsFromJSON?: (options: unknown) => PublicKeyCredentialRequestOptions;
}

const forms = (): JsonForms =>
  typeof PublicKeyCredential === 'undefined' ? {} : (PublicKeyCredential as unknown as JsonForms);

/** They belong to the name of the service, and need a secure page: over plain http only localhost is one. */
export function usePasskeySupport(): boolean {
  const { data: instance } = useInstance();
  return (
    instance !== undefined &&
    isSecureContext &&
    forms().parseRequestOptionsFromJSON !== undefined &&
    new URL(instance.base_url).origin === location.origin &&
    // A name of numbers cannot have any.
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
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.');
  return { ...(credential.toJSON() as object) };
}

/** What the browser's own refusals mean. */
export function passkeyProblem(error: Error): Error {
  if (error.name === 'NotAllowedError') return new Error('No passkey was chosen, or it took too long.');
  if (error.name === 'InvalidStateError')
    return new Error('This device has a passkey for this account already.');
  return error;
}
