import { useEffect, useRef, useState } from 'preact/hooks';
import { BULK_ACTIONS, actOnSelected } from './actions';
import * as client from './client';
import { Dialog } from './dialog';
import { useRoles } from './roles';
import { go, href, PAGES, set } from './route';
import { text } from './text';

const MOST = 12;

interface Entry {
  kind: string;
  name: string;
  run: () => void;
}

/** One field for pages, actions, VMs and hosts. */
export function Palette({ close }: { close: () => void }) {
  const [value, setValue] = useState('');
  const [found, setFound] = useState<Entry[]>([]);
  const [at, setAt] = useState(0);
  // The words that the list answers, and the words at which Enter came before their answer.
  const answered = useRef<string | null>(null);
  const awaited = useRef<string | null>(null);
  const { operates, opens } = useRoles();

  useEffect(() => {
    let current = true;
    const words = value.toLowerCase().trim();
    const fits = (name: string) => name.toLowerCase().includes(words);
    const pages: Entry[] = PAGES.filter(page => opens(page) && fits(text.pages[page])).map(page => ({
      kind: text.palette.page, name: text.pages[page], run: () => go(href(page)),
    }));
    const actions: Entry[] =
      operates && client.state.counts.selected > 0
        ? BULK_ACTIONS.filter(action => fits(text.actions[action])).map(action => ({
          kind: text.palette.action,
          name: `${text.actions[action]} (${text.vms.selected(client.state.counts.selected)})`,
          run: () => void actOnSelected(action),
        }))
        : [];
    void client.find(words, MOST).then(all => {
      if (!current) return;
      const entries = [
        ...pages,
        ...actions,
        ...all.map(each => ({
          kind: each.kind === 'vm' ? text.palette.vm : text.palette.host,
          name: each.name,
          run: () => (each.kind === 'vm' ? set({ vm: each.id }, false) : go(href('hosts', { host: each.id }))),
        })),
      ].slice(0, MOST);
      answered.current = value;
      setAt(0);
      setFound(entries);
      if (awaited.current === value) {
        awaited.current = null;
        run(entries[0]);
      }
    });
    return () => {
      current = false;
    };
  }, [value]);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.run();
  };
  return (
    <Dialog title={text.palette.title} close={close} class="palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        aria-label={text.palette.hint}
        placeholder={text.palette.hint}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={value}
        onInput={event => {
          awaited.current = null;
          setValue(event.currentTarget.value);
        }}
        onKeyDown={event => {
          if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
          else if (event.key === 'Enter') {
            if (answered.current === event.currentTarget.value) run(found[at]);
            else awaited.current = event.currentTarget.value;
          }
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={text.palette.title}>
        {found.map((entry, i) => (
          <li key={`${entry.kind}-${entry.name}-${i}`} id={`palette-${i}`} role="option" aria-selected={i === at} onClick={() => run(entry)}>
            <span class="soft">{entry.kind}</span> {entry.name}
          </li>
        ))}
        {found.length === 0 && <li class="soft" role="option" aria-selected="false" aria-disabled="true">{text.palette.none}</li>}
      </ul>
    </Dialog>
  );
}

export function Help({ close, tour }: { close: () => void; tour: () => void }) {
  return (
    <Dialog title={text.help.title} close={close}>
      <dl class="keys">
        {text.help.keys.map(([keys, what]) => (
          <div key={keys}>
            <dt><kbd>{keys}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">{text.vms.help}</p>
      <footer>
        <button
          type="button"
          onClick={() => {
            close();
            tour();
          }}
        >
          {text.tour.title}
        </button>
      </footer>
    </Dialog>
  );
}
