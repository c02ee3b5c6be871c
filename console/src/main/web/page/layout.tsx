// The menus over the list of VMs: which columns it has and how, and views that are kept.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { COLUMNS, layoutOf } from './columns';
import type { LaidColumn } from './grid';
import { useMe } from './roles';
import { go, href, route, set } from './route';
import { text } from './text';

const STEP_PIXELS = 24;
const USUAL_PIXELS = 140; // where a column has its own width, which is not known here
const LEAST_PIXELS = 40;

/** A menu that closes as menus do: with Escape, and when another element gets the focus or a click. */
export function Menu({ title, kind = '', children }: { title: string; kind?: string; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      if (element.current?.open && !element.current.contains(event.target as Node)) element.current.open = false;
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, []);
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !element.current?.open) return;
    event.preventDefault(); // it closes nothing else
    element.current.open = false;
    element.current.querySelector('summary')!.focus();
  };
  return (
    <details class={`menu ${kind}`} ref={element} onKeyDown={key}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

export function ColumnMenu({ columns }: { columns: LaidColumn[] }) {
  const lay = (next: LaidColumn[]) => set(layoutOf(next));
  const change = (id: string, values: Partial<LaidColumn>) => lay(columns.map(each => (each.id === id ? { ...each, ...values } : each)));
  const move = (at: number, by: number) => {
    const next = [...columns];
    const [moved] = next.splice(at, 1);
    next.splice(at + by, 0, moved!);
    lay(next);
  };
  const hidden = COLUMNS.filter(column => !columns.some(each => each.id === column.id));
  return (
    <Menu title={text.vms.columns}>
      <ul class="menu-body columns">
        {columns.map((column, i) => (
          <li key={column.id}>
            <label>
              <input
                type="checkbox"
                checked
                disabled={column.id === 'name'}
                onChange={() => lay(columns.filter(each => each !== column))}
              />
              {column.title}
            </label>
            <button type="button" disabled={i === 0} aria-label={text.columns.earlier(column.title)} onClick={() => move(i, -1)}>←</button>
            <button type="button" disabled={i === columns.length - 1} aria-label={text.columns.later(column.title)} onClick={() => move(i, 1)}>→</button>
            <button
              type="button"
              aria-label={text.columns.narrower(column.title)}
              onClick={() => change(column.id, { pixels: Math.max(LEAST_PIXELS, (column.pixels || USUAL_PIXELS) - STEP_PIXELS) })}
            >
              −
            </button>
            <button
              type="button"
              aria-label={text.columns.wider(column.title)}
              onClick={() => change(column.id, { pixels: (column.pixels || USUAL_PIXELS) + STEP_PIXELS })}
            >
              +
            </button>
            <button
              type="button"
              aria-pressed={column.pinned}
              aria-label={text.columns.pin(column.title)}
              onClick={() => change(column.id, { pinned: !column.pinned })}
            >
              {text.columns.pinned}
            </button>
          </li>
        ))}
        {hidden.map(column => (
          <li key={column.id}>
            <label>
              <input type="checkbox" checked={false} onChange={() => lay([...columns, { ...column, pixels: 0, pinned: false }])} />
              {column.title}
            </label>
          </li>
        ))}
        <li>
          <button type="button" onClick={() => set({ cols: '', w: '', pin: '' })}>{text.columns.usual}</button>
        </li>
      </ul>
    </Menu>
  );
}

interface View {
  name: string;
  /** The query of its address, without the open VM. */
  query: string;
}

const MOST_VIEWS = 50;
const STORED = 'stillwater.views.';

function read(user: string): View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED + user) ?? '[]');
    return Array.isArray(kept) ? (kept as View[]).filter(each => typeof each.name === 'string' && typeof each.query === 'string') : [];
  } catch {
    return []; // no storage, or an unknown format
  }
}

/** Views by name, of this user in this browser; users share a view by its address. */
export function ViewMenu() {
  const user = useMe().name;
  const [, again] = useState(0);
  const [name, setName] = useState('');
  const [trouble, setTrouble] = useState('');
  const views = read(user);
  const keep = (next: View[]) => {
    try {
      localStorage.setItem(STORED + user, JSON.stringify(next));
      setTrouble('');
    } catch {
      setTrouble(text.views.notKept);
    }
    again(times => times + 1);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    const { search } = route();
    search.delete('vm');
    search.delete('cause');
    const others = views.filter(each => each.name !== wanted);
    if (others.length >= MOST_VIEWS) {
      setTrouble(text.views.tooMany(MOST_VIEWS));
      return;
    }
    keep([...others, { name: wanted, query: search.toString() }].sort((a, b) => a.name.localeCompare(b.name)));
    setName('');
  };
  return (
    <Menu title={text.views.title} kind="views">
      <div class="menu-body">
        <ul>
          {views.map(view => (
            <li key={view.name}>
              <button type="button" class="link-like" onClick={() => go(href('vms', Object.fromEntries(new URLSearchParams(view.query))))}>
                {view.name}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={text.views.remove(view.name)}
                onClick={() => keep(views.filter(each => each !== view))}
              >
                ×
              </button>
            </li>
          ))}
          {views.length === 0 && <li class="soft">{text.views.none}</li>}
        </ul>
        <form onSubmit={save}>
          <label>
            {text.views.name} <input value={name} maxLength={60} onInput={event => setName(event.currentTarget.value)} />
          </label>
          <button type="submit" disabled={name.trim() === ''}>{text.views.save}</button>
        </form>
        {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
        <p class="soft">{text.views.where}</p>
      </div>
    </Menu>
  );
}
