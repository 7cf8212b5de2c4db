// What the pages for sign-in and settings send.
import { Type } from 'typebox';
import { object, text } from '#api/common-schemas.ts';

const email = text(3, 254);
const newPassword = text(10, 128);
/** An entered password is only compared, so that a wrong length reveals no more than a wrong password. */
const givenPassword = text(1, 128);
const name = text(1, 80);
const token = text(1, 2_000);
/** The browser's response for a passkey; the verification checks it. */
const credential = Type.Record(Type.String({ maxLength: 60 }), Type.Unknown());

export const SignIn = object({ email, password: givenPassword });
/** From the authenticator app, or a recovery code. */
export const SignInCode = object({ code: text(6, 20) });
export const SignInPasskey = object({ response: credential });
export const SignUp = object({ name, email, password: newPassword });
export const TokenBody = object({ token });
export const ForgotPassword = object({ email });
export const ResetPassword = object({ token, new_password: newPassword });

/** A path in the dashboard to go to afterwards. */
export const StartOidc = object({ next: text(1, 2_000) });

export const MaybeWithPassword = object({ current_password: Type.Optional(givenPassword) });
export const WithPassword = object({ current_password: givenPassword });
export const AddPasskey = object({ name, response: credential });
export const ChangePassword = object({
  current_password: Type.Optional(givenPassword),
  new_password: newPassword,
});
export const ChangeProfile = object({ name });
export const ChangeEmail = object({ email, current_password: Type.Optional(givenPassword) });
export const DeleteAccount = object({ email, current_password: Type.Optional(givenPassword) });
