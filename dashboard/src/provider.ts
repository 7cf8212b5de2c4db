// Why a sign-in with the provider did not work, in words. The service names the reason in the address of the page.
const texts: Record<string, (name: string) => string> = {
  address_taken: (name) =>
    `There is already an account with the e-mail address that ${name} has of you. Sign in to it as before, then link it in the settings.`,
  signups_closed: (name) => `You have no account here that is linked to ${name}, and sign-up is closed.`,
  no_address: (name) => `${name} gave no e-mail address, which a new account needs.`,
  linked_elsewhere: (name) => `This identity at ${name} is linked to another account here.`,
  not_signed_in: () => 'You were signed out before the link was made. Sign in and try again.',
  refused: (name) => `${name} did not let you in, or you cancelled.`,
  expired: () => 'This took too long, or began in another browser. Try again.',
  unavailable: (name) => `${name} does not answer. Try again later, or sign in another way.`,
};

export function providerProblem(problem: string | null, name: string): Error | null {
  if (problem === null || problem === 'linked') return null;
  return new Error(texts[problem]?.(name) ?? `Signing in with ${name} failed. Try again.`);
}
