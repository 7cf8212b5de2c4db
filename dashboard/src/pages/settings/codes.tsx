// Two-step sign-in with an authenticator app: a first code turns it on, and recovery codes replace a lost phone.
import { lazy, Suspense, useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { CurrentPassword } from '#app/pages/settings/current-password.tsx';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Dialog, DialogActions, FormDialog } from '#app/parts/dialog.tsx';
import { TextField } from '#app/parts/field.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { Chip } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import type { Session } from '#app/session.ts';

// Loaded on demand, because most people use it once at most.
const QrCode = lazy(async () => ({ default: (await import('#app/parts/qr-code.tsx')).QrCode }));

type NewCodes = AnswerOf<'POST /codes/start'>;
type Step = { name: 'password'; for: 'start' | 'recovery' | 'stop' } | { name: 'app'; made: NewCodes };

export function Codes({ session, isOn }: { session: Session; isOn: boolean }) {
  const [step, setStep] = useState<Step>();
  const [recovery, setRecovery] = useState<string[]>();
  const close = () => setStep(undefined);
  const ask = (purpose: 'start' | 'recovery' | 'stop') => setStep({ name: 'password', for: purpose });
  return (
    <SettingRow
      title="Two-step sign-in"
      intro="After the password, sign-in asks for a code from an app on your phone. A stolen password is then not enough."
    >
      <div className="flex flex-wrap items-center gap-2.5">
        {isOn ? (
          <>
            <Chip tone="good">On</Chip>
            {session.verified && <Button onClick={() => ask('recovery')}>New recovery codes</Button>}
            <Button tone="remove" onClick={() => ask('stop')}>
              Turn off
            </Button>
          </>
        ) : session.verified ? (
          <Button disabled={!session.has_password} onClick={() => ask('start')}>
            Turn on
          </Button>
        ) : (
          <VerifyFirst />
        )}
      </div>
      {!session.has_password && <p className="mt-2 text-sm text-quiet">Set a password first.</p>}
      {step?.name === 'password' && (
        <AskPassword
          purpose={step.for}
          onStarted={(made) => setStep({ name: 'app', made })}
          onRecovery={(codes) => {
            setRecovery(codes);
            close();
          }}
          onClose={close}
        />
      )}
      {step?.name === 'app' && (
        <SetUp
          made={step.made}
          onDone={() => {
            setRecovery(step.made.recovery_codes);
            close();
          }}
          onClose={close}
        />
      )}
      {recovery && <RecoveryCodes codes={recovery} onClose={() => setRecovery(undefined)} />}
    </SettingRow>
  );
}

const purposes = {
  start: { title: 'Turn on two-step sign-in', action: 'Continue', text: undefined },
  recovery: {
    title: 'New recovery codes',
    action: 'Make new codes',
    text: 'The ten you have now stop working.',
  },
  stop: {
    title: 'Turn off two-step sign-in?',
    action: 'Turn off',
    text: 'After that, your password is enough to sign in. Your recovery codes stop working.',
  },
};

function AskPassword({
  purpose,
  onStarted,
  onRecovery,
  onClose,
}: {
  purpose: keyof typeof purposes;
  onStarted: (made: NewCodes) => void;
  onRecovery: (codes: string[]) => void;
  onClose: () => void;
}) {
  const { title, action, text } = purposes[purpose];
  const send = useAction(
    async (password: string) => {
      const input = { body: { current_password: password } };
      if (purpose === 'start') return onStarted(await call('POST /codes/start', input));
      if (purpose === 'recovery')
        return onRecovery((await call('POST /codes/recovery', input)).recovery_codes);
      await call('POST /codes/stop', input);
      return onClose();
    },
    { quiet: true, touches: purpose === 'stop' ? ['second factors', 'sessions'] : [] },
  );
  return (
    <FormDialog
      title={title}
      action={action}
      tone={purpose === 'stop' ? 'danger' : 'primary'}
      of={send}
      onSend={(form) => send.mutate(textOf(form, 'current_password'))}
      onClose={onClose}
    >
      {text !== undefined && <p className="text-quiet">{text}</p>}
      <CurrentPassword />
    </FormDialog>
  );
}

function SetUp({ made, onDone, onClose }: { made: NewCodes; onDone: () => void; onClose: () => void }) {
  const confirm = useAction((code: string) => call('POST /codes/confirm', { body: { code } }), {
    quiet: true,
    touches: ['second factors', 'sessions'],
    done: 'Two-step sign-in is on.',
    onDone,
  });
  const secret = new URL(made.uri).searchParams.get('secret') ?? '';
  return (
    <FormDialog
      title="Scan this with your app"
      action="Turn on"
      of={confirm}
      onSend={(form) => confirm.mutate(textOf(form, 'code'))}
      onClose={onClose}
    >
      <div className="grid justify-items-center">
        <Suspense fallback={<div className="size-44" />}>
          <QrCode text={made.uri} label="QR code for your authenticator app" />
        </Suspense>
      </div>
      <p className="text-sm text-quiet">No camera? Type this key into the app:</p>
      <Code text={secret} what="Key" wrap />
      <TextField
        label="The code that the app shows"
        name="code"
        required
        minLength={6}
        maxLength={7}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
    </FormDialog>
  );
}

/** Shown only once, so Escape does not close it until the codes are saved. */
function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [isKept, setKept] = useState(false);
  return (
    <Dialog title="Keep your recovery codes" onClose={() => isKept && onClose()}>
      <p className="mb-4 text-quiet">
        Each signs you in once, when you do not have your phone. They are not shown again.
      </p>
      <Code text={codes.join('\n')} what="Recovery codes" isFirst onCopied={() => setKept(true)} />
      <DialogActions>
        <AnchorButton
          icon="download"
          href={`data:text/plain,${encodeURIComponent(`Recovery codes for ${location.host}\n\n${codes.join('\n')}\n`)}`}
          download="tintype-recovery-codes.txt"
          onClick={() => setKept(true)}
        >
          Download
        </AnchorButton>
        <Button tone="primary" onClick={onClose}>
          I have saved them
        </Button>
      </DialogActions>
    </Dialog>
  );
}
