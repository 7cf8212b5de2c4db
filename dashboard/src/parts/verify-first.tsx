// Why something is not offered yet.

export const VerifyFirst = () => (
  <p className="text-sm text-quiet">
    Verify your e-mail address first. Until then anyone could have made this account.
  </p>
);
