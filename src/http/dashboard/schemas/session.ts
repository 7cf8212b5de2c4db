// Sign-in and settings.
import { Type, type Static } from 'typebox';
import { choice, id, orNull, Plan, strict, text, time } from '#http/dashboard/schemas/common.ts';

const email = text(3, 254);
const newPassword = text(10, 128);
/** An entered password is only compared, so that a wrong length reveals no more than a wrong password. */
const givenPassword = text(1, 128);
const name = text(1, 80);
const token = text(1, 2_000);

/** What the sign-in pages need before anyone is signed in. */
export const Instance = Type.Object(
  {
    base_url: Type.String(),
    signups: choice(['open', 'closed']),
    /** False when SMTP_URL is not set: links are in the service's log, and the page says so. */
    sends_mail: Type.Boolean(),
    /** How people reach the operator; null when the owner has not set it. */
    operator_contact: orNull(Type.String()),
  },
  strict,
);

export const SignedIn = Type.Object(
  {
    id,
    email: Type.String(),
    name: Type.String(),
    /** False until the mailed link was followed: API keys get 401 and nothing can be stored. */
    verified: Type.Boolean(),
    /** If true, only this, signing out and the export still work; the reason is shown to the person. */
    suspended: Type.Boolean(),
    suspended_reason: orNull(Type.String()),
    /** Gives access to the admin pages. */
    owner: Type.Boolean(),
    /** False after the first sign-in by a one-time link: the page then asks for a new password. */
    has_password: Type.Boolean(),
    plan: Plan,
    created_at: time,
    session_expires_at: time,
  },
  strict,
);
export type SignedIn = Static<typeof SignedIn>;

/** Null when nobody is signed in, and after a correct password when a code is required next (POST /sign-in/code). */
export const Session = Type.Object({ signed_in: orNull(SignedIn) }, strict);

export const SignIn = Type.Object({ email, password: givenPassword }, strict);
/** From the authenticator app, or a recovery code. */
const code = text(6, 20);
export const SignInCode = Type.Object({ code }, strict);
/** The browser's response for a passkey; the verification checks it. */
const credential = Type.Record(Type.String({ maxLength: 60 }), Type.Unknown());
export const PasskeyOptions = Type.Object({ options: credential }, strict);
export const SignInPasskey = Type.Object({ response: credential }, strict);
/** Whether a code is required after the password. */
const codes = Type.Boolean();
export const Passkey = Type.Object({ id, name: Type.String(), created_at: time }, strict);
export type Passkey = Static<typeof Passkey>;
export const SecondFactors = Type.Object({ codes, passkeys: Type.Array(Passkey) }, strict);
export const WithPassword = Type.Object({ current_password: givenPassword }, strict);
const recoveryCodes = Type.Array(Type.String());
export const RecoveryCodes = Type.Object({ recovery_codes: recoveryCodes }, strict);
/** `uri` is the content of the QR code for the app. */
export const NewCodes = Type.Object({ uri: Type.String(), recovery_codes: recoveryCodes }, strict);
export const AddPasskey = Type.Object({ name, response: credential }, strict);

export const SignUp = Type.Object({ name, email, password: newPassword }, strict);
export const TokenBody = Type.Object({ token }, strict);
/** Whether the link still works. */
export const ResetLink = Type.Object({ works: Type.Boolean() }, strict);
export const ForgotPassword = Type.Object({ email }, strict);
export const ResetPassword = Type.Object({ token, new_password: newPassword }, strict);
/** What still signs in, or acts for the account, after its password was reset; every session has ended. */
export const StillWorking = Type.Object(
  {
    codes,
    passkeys: Type.Array(Passkey),
    keys: Type.Array(Type.Object({ name: Type.String(), display: Type.String(), created_at: time }, strict)),
  },
  strict,
);
export const ChangePassword = Type.Object(
  { current_password: Type.Optional(givenPassword), new_password: newPassword },
  strict,
);
export const ChangeProfile = Type.Object({ name }, strict);
export const ChangeEmail = Type.Object({ email, current_password: Type.Optional(givenPassword) }, strict);
export const DeleteAccount = Type.Object({ email, current_password: Type.Optional(givenPassword) }, strict);

const SessionItem = Type.Object(
  {
    id,
    created_at: time,
    last_active_at: time,
    expires_at: time,
    address: orNull(Type.String()),
    user_agent: orNull(Type.String()),
    current: Type.Boolean(),
  },
  strict,
);
export const Sessions = Type.Object({ items: Type.Array(SessionItem) }, strict);
