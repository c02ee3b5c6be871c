import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { route, set, useRoute } from './route';
import { text, words } from './text';
import { tone } from './tone';

/** Whether the details of a VM or host take the place of the list. */
export const isWhole = (search: URLSearchParams): boolean => search.get('full') === 'true';

/** Details beside a list, or as a page; which ones is in the address. Escape closes them and returns the focus. */
export function Panel(props: { id: string; parameter: string; title: string | null; status: string | null; children: ComponentChildren }) {
  const panel = useRef<HTMLElement>(null);
  const [before] = useState(() => document.activeElement as HTMLElement | null);
  const { search } = useRoute();
  const mayBePage = props.parameter !== 'finding';
  const isPage = mayBePage && isWhole(search);
  const close = () => {
    set({ [props.parameter]: '' });
    if (isPage) void Promise.resolve().then(() => before?.focus()); // after the list is shown again
    else before?.focus();
  };
  // A page of its own has a title of its own, for bookmarks and the history.
  useEffect(() => {
    if (!isPage || props.title === null) return undefined;
    document.title = `${props.title} – ${text.title}`;
    return () => {
      document.title = `${text.pages[route().page]} – ${text.title}`;
    };
  }, [isPage, props.title]);
  // In the task that renders it: a key that follows at once belongs to the panel.
  useLayoutEffect(() => panel.current?.focus(), [props.id]);
  return (
    <section
      class="drawer"
      aria-label={props.title ?? text.detail.title}
      tabIndex={-1}
      ref={panel}
      onKeyDown={event => {
        // Dialogs of the panel are inside it, and close themselves.
        if (event.key === 'Escape' && !(event.target as Element).closest('dialog')) {
          event.stopPropagation();
          close();
        }
      }}
    >
      <header>
        <h2>{props.title ?? '…'}</h2>
        {props.status !== null && <span class={`badge ${tone(props.status)}`}>{words(props.status)}</span>}
        {mayBePage && (
          <button type="button" class="whole-page" onClick={() => set({ full: isPage ? '' : 'true' }, false)}>
            {isPage ? text.detail.beside : text.detail.whole}
          </button>
        )}
        <button type="button" class="plain" aria-label={text.close} onClick={close}>
          ×
        </button>
      </header>
      {props.children}
    </section>
  );
}

export function Fact({ name, value, title }: { name: string; value: string | null; title?: string }) {
  return value === null || value === '' ? null : (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{value}</dd>
    </div>
  );
}
