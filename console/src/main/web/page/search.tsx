// The search field of the VMs, which completes keys and values.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../protocol';
import { KEYS } from '../worker/query';
import * as client from './client';
import { orderOf, route, set } from './route';
import { text } from './text';

const MOST = 8;
const LIST_ID = 'search-completions';
const VALUE = /(?:^|\s)-?([A-Za-z]+)[:=](?:"([^"]*)|([^"\s]*))$/;
const KEY = /(?:^|\s)-?([A-Za-z]+)$/;

interface Completion {
  shown: string;
  count: number;
  /** The search with it. */
  search: string;
}

/** Completions of a search at its end. */
async function completions(search: string): Promise<Completion[]> {
  const value = VALUE.exec(search);
  if (value) {
    const part = value[2] ?? value[3] ?? '';
    const last = part.slice(part.lastIndexOf(',') + 1).toLowerCase();
    const key = KEYS.find(each => each.toLowerCase() === value[1]!.toLowerCase());
    if (!key) return [];
    const found: Suggestion[] = await client.values(key, last, MOST);
    const begin = search.slice(0, search.length - (value[2] === undefined ? part.length : part.length + 1));
    const before = part.slice(0, part.lastIndexOf(',') + 1);
    return found
      .filter(each => each.value.toLowerCase() !== last)
      .map(each => {
        const whole = before + each.value;
        return { shown: each.value, count: each.count, search: `${begin}${/\s/.test(whole) ? `"${whole}"` : whole} ` };
      });
  }
  const key = KEY.exec(search)?.[1];
  if (key === undefined) return [];
  return KEYS.filter(each => each.toLowerCase().startsWith(key.toLowerCase()))
    .slice(0, MOST)
    .map(each => ({ shown: `${each}:`, count: -1, search: `${search.slice(0, search.length - key.length)}${each}:` }));
}

export function SearchField({ shown, hint, down }: { shown: string; hint: string; down: () => void }) {
  const field: RefObject<HTMLInputElement> = useRef(null);
  const [found, setFound] = useState<Completion[]>([]);
  const [at, setAt] = useState(-1);
  const asked = useRef(0);
  // Keys typed before the answer to the search: they apply to the new list, not to the one on the screen.
  const early = useRef<string[] | null>(null);
  useLayoutEffect(() => {
    if (field.current && document.activeElement !== field.current && field.current.value !== shown) field.current.value = shown;
  }, [shown]);

  const close = () => {
    asked.current++;
    early.current = null;
    setFound([]);
    setAt(-1);
  };
  /** A completion has changed the text: later keys apply to its answer. */
  const keepFor = (keys: string[]) => early.current?.push(...keys);
  const complete = (input: HTMLInputElement) => {
    const number = ++asked.current;
    if (input.selectionStart !== input.value.length) {
      close();
      return;
    }
    early.current ??= [];
    void completions(input.value).then(all => {
      if (asked.current !== number) return;
      const keys = early.current ?? [];
      early.current = null;
      setFound(all);
      let place = -1;
      while (keys.length > 0) {
        const next = press(keys.shift()!, all, place);
        if (next === null) {
          keepFor(keys);
          return;
        }
        place = next;
      }
      setAt(place);
    });
  };
  const take = (completion: Completion) => {
    const input = field.current!;
    input.value = completion.search;
    input.focus();
    set({ q: completion.search });
    complete(input);
  };
  /** Handles a key of the list; returns the chosen index, or null if the field was completed or left. */
  const press = (name: string, list: Completion[], place: number): number | null => {
    const chosen = list[place];
    if (name === 'ArrowDown' && list.length > 0) return (place + 1) % list.length;
    if (name === 'ArrowUp') return list.length === 0 ? place : place <= 0 ? list.length - 1 : place - 1;
    if (chosen) {
      take(chosen);
      return null;
    }
    close();
    down();
    return null;
  };
  const key = (event: KeyboardEvent) => {
    const { key: name } = event;
    if (name === 'Escape') {
      if (found.length === 0) return;
      close();
    } else if (early.current !== null) {
      // Without an arrow before it, Enter chooses no completion: it need not wait for any.
      if (name === 'Enter' && early.current.length === 0) press(name, [], -1);
      else if (name === 'ArrowDown' || name === 'ArrowUp' || name === 'Enter') early.current.push(name);
      else return;
    } else if (name === 'ArrowDown' || name === 'Enter' || (name === 'ArrowUp' && found.length > 0) || (name === 'Tab' && found[at])) {
      const next = press(name, found, at);
      if (next !== null) setAt(next);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <input
        ref={field}
        id="search"
        type="text"
        inputMode="search"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={LIST_ID}
        aria-activedescendant={at >= 0 ? `${LIST_ID}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={text.vms.searchHint}
        aria-label={text.vms.search}
        aria-describedby={hint}
        title={text.vms.help}
        defaultValue={shown}
        onInput={event => {
          // The worker searches while the page draws the address's new state.
          client.query({ search: event.currentTarget.value, ...orderOf(route().search.get('sort') ?? 'trouble') });
          set({ q: event.currentTarget.value });
          complete(event.currentTarget);
        }}
        onKeyDown={key}
        onBlur={close}
      />
      <ul id={LIST_ID} role="listbox" aria-label={text.vms.completions} hidden={found.length === 0}>
        {found.map((each, i) => (
          <li
            key={each.shown}
            id={`${LIST_ID}-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerDown={event => {
              event.preventDefault(); // the field keeps the focus
              take(each);
            }}
          >
            {each.shown} {each.count >= 0 && <span class="soft">{text.number(each.count)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
