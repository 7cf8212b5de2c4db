// What a suspended account still sees: the reason, the data export and sign-out.
import { call, fileAddress } from '#app/api.ts';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { EntryFrame } from '#app/pages/entry/frame.tsx';
import { leave, type Session } from '#app/session.ts';

export function Suspended({ session }: { session: Session }) {
  const signOut = useAction(() => call('POST /sign-out'), { onDone: leave });
  return (
    <EntryFrame title="This account is suspended">
      <p>Its keys answer 401 and its links do not resolve. Nothing has been deleted.</p>
      {session.suspended_reason !== null && (
        <blockquote className="my-4 border-l-2 border-danger pl-4 wrap-anywhere">
          {session.suspended_reason}
        </blockquote>
      )}
      <p className="text-quiet">
        To have the suspension lifted, write to <Operator />.
      </p>
      <div className="mt-6 flex flex-wrap gap-2.5">
        <AnchorButton href={fileAddress('/export')} download icon="download">
          Export my data
        </AnchorButton>
        <Button icon="out" busy={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
          Sign out
        </Button>
      </div>
    </EntryFrame>
  );
}
