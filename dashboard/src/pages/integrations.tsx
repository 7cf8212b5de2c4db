// Setup of other tools, each with a separate key: what to paste or open, and the steps.
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { scopeNames } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Dialog, DialogActions } from '#app/parts/dialog.tsx';
import { Page } from '#app/parts/page.tsx';
import { Chip } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import type { Session } from '#app/session.ts';

type Made = AnswerOf<'POST /integrations'>;
type Tool = BodyOf<'POST /integrations'>['tool'];

interface Entry {
  tool: Tool;
  title: string;
  on: string;
  intro: string;
  steps: string[];
}

const groups: { title: string; entries: Entry[] }[] = [
  {
    title: 'Take and share screenshots',
    entries: [
      {
        tool: 'sharex',
        title: 'ShareX',
        on: 'Windows',
        intro: 'One key press takes a screenshot, uploads it and copies the link.',
        steps: [
          'Save the file and open it: ShareX asks whether to add it.',
          'Choose it under Destinations, Image uploader, Custom image uploader.',
        ],
      },
      {
        tool: 'flameshot',
        title: 'Flameshot',
        on: 'Linux',
        intro: 'Select a part of the screen, annotate it, and have the link in the clipboard.',
        steps: [
          'Save the script in a folder of your PATH and make it executable: chmod +x tintype-shot.sh.',
          'Bind it to a key in the settings of your desktop. It needs flameshot, curl, and xclip or wl-copy.',
        ],
      },
      {
        tool: 'macos',
        title: 'macOS',
        on: 'Shortcuts',
        intro: 'A shortcut that selects a part of the screen, uploads it and copies the link.',
        steps: [
          'In Shortcuts, make a new shortcut with the action Run Shell Script and paste this.',
          'In its details, choose Add Keyboard Shortcut.',
        ],
      },
      {
        tool: 'ios',
        title: 'iPhone and iPad',
        on: 'Shortcuts',
        intro: 'Share any picture to a shortcut that uploads it and copies the link.',
        steps: [
          'In Shortcuts, make a new shortcut that shows in the share sheet and receives images.',
          'Add Get Contents of URL with the values below; the value of the file field is Shortcut Input.',
          'Add Get Dictionary Value for url, then Copy to Clipboard.',
        ],
      },
    ],
  },
  {
    title: 'Scripts and programs',
    entries: [
      {
        tool: 'tt',
        title: 'tt',
        on: 'Command line',
        intro: 'Upload, capture and print from a terminal: one file, a folder or a list of a thousand pages.',
        steps: ['Run these lines in a terminal. Node.js 20 or later is needed.'],
      },
      {
        tool: 'shell',
        title: 'Shell',
        on: 'bash, zsh',
        intro: 'A function with nothing to install: name a file, get its link.',
        steps: ['Paste it into your ~/.bashrc or ~/.zshrc, and open a new terminal.', 'tintype photo.png'],
      },
      {
        tool: 'client',
        title: 'TypeScript client',
        on: 'Node, Deno, Bun',
        intro: 'A typed library that retries, waits and follows the limits by itself.',
        steps: ['Install the package from this service with the command in the first line.'],
      },
      {
        tool: 'mcp',
        title: 'MCP server',
        on: 'AI assistants',
        intro: 'Lets an assistant see web pages, print them and upload images.',
        steps: ['Add this to the configuration of your assistant, and start it again.'],
      },
    ],
  },
];

export function Integrations({ session }: { session: Session }) {
  const [shown, setShown] = useState<Entry>();
  return (
    <Page
      title="Integrations"
      intro="Each gets its own key, which you can revoke without affecting the others. On Android you need none: install the dashboard from the browser's menu and share pictures with it."
    >
      {!session.verified && <VerifyFirst />}
      {groups.map(({ title, entries }) => (
        <section key={title} className="grid gap-3">
          <h2 className="font-serif text-lg font-semibold">{title}</h2>
          <ul className="grid gap-4 sm:grid-cols-2">
            {entries.map((entry) => (
              <Card
                key={entry.tool}
                entry={entry}
                isOffered={session.verified}
                onOpen={() => setShown(entry)}
              />
            ))}
          </ul>
        </section>
      ))}
      {shown && <SetUp entry={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function Card({ entry, isOffered, onOpen }: { entry: Entry; isOffered: boolean; onOpen: () => void }) {
  const { title, on, intro } = entry;
  return (
    <li className="card flex flex-col items-start gap-3 p-5">
      <div className="flex w-full items-baseline justify-between gap-3">
        <h3 className="font-semibold">{title}</h3>
        <span className="text-sm text-quiet">{on}</span>
      </div>
      <p className="flex-1 text-sm text-pretty text-quiet">{intro}</p>
      <Button small disabled={!isOffered} aria-label={`Set up ${title}`} onClick={onOpen}>
        Set up
      </Button>
    </li>
  );
}

/** Reading the steps makes no key: only the button does. */
function SetUp({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { tool, title } = entry;
  const [made, setMade] = useState<Made>();
  const make = useAction(() => call('POST /integrations', { body: { tool } }), {
    touches: ['keys', 'overview'],
    onDone: setMade,
  });
  if (made) return <Result entry={entry} made={made} onClose={onClose} />;
  return (
    <Dialog title={`Set up ${title}`} wide onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-quiet">
          A new key is made for it, which you can revoke under API keys. What to copy has the key in it, and
          is shown only once.
        </p>
        <Steps of={entry} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" busy={make.isPending} onClick={() => make.mutate(undefined)}>
          Create the key
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Steps({ of: { steps } }: { of: Entry }) {
  return (
    <ol className="grid list-decimal gap-1 pl-5 text-sm">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}

function Result({ entry, made, onClose }: { entry: Entry; made: Made; onClose: () => void }) {
  return (
    <Dialog title={`Set up ${entry.title}`} wide onClose={onClose}>
      <div className="grid gap-4">
        <p className="flex flex-wrap items-center gap-2 text-sm text-quiet">
          <span>
            The key <strong className="font-medium text-ink">{made.key.name}</strong> was made for it. It is
            shown only once.
          </span>
          <Chip>{scopeNames[made.key.scope]}</Chip>
        </p>
        <Steps of={entry} />
        <Code text={made.content} what={made.filename} isFirst />
      </div>
      <DialogActions>
        <Button icon="download" onClick={() => save(made)}>
          Save {made.filename}
        </Button>
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function save({ filename, content, content_type }: Made): void {
  const address = URL.createObjectURL(new Blob([content], { type: content_type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
