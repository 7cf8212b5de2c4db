// The command palette: pages, actions and what is found among uploads and renders, by keyboard. Loaded when it is first opened.
import { useQuery } from '@tanstack/react-query';
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { call } from '#app/api.ts';
import { titleOf } from '#app/pages/renders/names.ts';
import { pagesFor } from '#app/navigation.ts';
import { Icon, type IconName } from '#app/parts/icon.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { navigate } from '#app/router.tsx';
import { leave, type Session } from '#app/session.ts';
import { useTheme } from '#app/theme.ts';
import { chooseFiles } from '#app/uploading/intake.tsx';

interface Command {
  id: string;
  text: string;
  /** What kind of thing it is. */
  kind: string;
  icon: IconName;
  run: () => void;
}

const foundAtMost = 5;

export function Palette({ session, onClose }: { session: Session; onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const commands = [...fitting(useCommands(session), text), ...useFound(text.trim())];
  const index = Math.min(chosen, commands.length - 1);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useLayoutEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });

  function run(command: Command | undefined): void {
    if (!command) return;
    onClose();
    command.run();
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (commands.length > 0) setChosen((index + step + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[index]);
    }
  }

  return (
    // A click beside it closes it; Escape does too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      aria-label="Go to"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => target === dialog.current && onClose()}
      className="mx-auto mt-[12dvh] w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-[14px] border bg-card p-0 text-ink shadow-large"
    >
      <div className="flex items-center gap-3 border-b px-4">
        <Icon name="search" className="size-5 text-quiet" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={commands[index] && `${listId}-${index}`}
          aria-label="Page, action, file name or address"
          placeholder="Page, action, file name or address"
          autoComplete="off"
          maxLength={100}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          className="min-h-13 w-full bg-transparent outline-none placeholder:text-quiet"
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label="Found"
        className="max-h-[min(26rem,60dvh)] overflow-y-auto p-2"
      >
        {commands.map((command, place) => (
          // The field above has the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.id}
            tabIndex={-1}
            id={`${listId}-${place}`}
            role="option"
            aria-selected={place === index}
            onClick={() => run(command)}
            onMouseMove={() => setChosen(place)}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-[9px] px-3 aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <Icon name={command.icon} className="size-4.5" />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {command.text}
            </span>
            <span className="text-sm text-quiet">{command.kind}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && (
        <p role="status" className="px-5 pb-5 text-quiet">
          Nothing found.
        </p>
      )}
    </dialog>
  );
}

function useCommands(session: Session): Command[] {
  const [theme, setTheme] = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  const pages = pagesFor(session).map(([path, text, icon]): Command => ({
    id: path,
    text,
    kind: 'Page',
    icon,
    run: () => navigate(path),
  }));
  const action = (text: string, icon: IconName, run: () => void): Command => ({
    id: text,
    text,
    kind: 'Action',
    icon,
    run,
  });
  return [
    ...pages,
    ...(session.verified ? [action('Upload files', 'upload', chooseFiles)] : []),
    action(`Use the ${other} theme`, 'settings', () => setTheme(other)),
    action('Sign out', 'out', () => void call('POST /sign-out').then(leave)),
  ];
}

/** Each word is the beginning of a word of the text. */
const fitting = (commands: Command[], text: string): Command[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter((command) =>
    words.every((word) =>
      command.text
        .toLowerCase()
        .split(/\s+/)
        .some((own) => own.startsWith(word)),
    ),
  );
};

function useFound(text: string): Command[] {
  const { search } = useSettled({ search: text });
  const isAsked = search.length >= 2;
  const { data } = useQuery({
    queryKey: ['found', search],
    queryFn: async () => {
      const query = { search, limit: foundAtMost };
      const [uploads, renders] = await Promise.all([
        call('GET /uploads', { query }),
        call('GET /renders', { query }),
      ]);
      return { uploads: uploads.items, renders: renders.items };
    },
    enabled: isAsked,
    placeholderData: (previous) => previous,
  });
  if (!isAsked || !data) return [];
  const item =
    (place: 'uploads' | 'renders', kind: string) =>
    (id: string, name: string): Command => ({
      id,
      text: name,
      kind,
      icon: place,
      run: () => navigate(`/${place}?open=${id}`),
    });
  const [upload, render] = [item('uploads', 'Upload'), item('renders', 'Render')];
  return [
    ...data.uploads.map(({ id, filename, title }) => upload(id, title ?? filename)),
    ...data.renders.map((found) => render(found.id, titleOf(found))),
  ];
}
