// A link that was not mailed: the owner copies it and sends it to the person.
import { Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Dialog, DialogActions } from '#app/parts/dialog.tsx';

export interface Unsent {
  title: string;
  /** What the link does and how long it works. */
  text: string;
  link: string;
}

export function LinkDialog({ title, text, link, onClose }: Unsent & { onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="mb-4 text-quiet">
        This service does not send mail. Copy the link and send it yourself. {text}
      </p>
      <Code text={link} what="Link" wrap isFirst />
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </Dialog>
  );
}
