import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { set } from './route';
import { text, words } from './text';
import { tone } from './tone';

/** Details beside a list; which ones is in the address. Escape closes it and returns the focus. */
export function Panel(props: { id: string; parameter: string; title: string | null; status: string | null; children: ComponentChildren }) {
  const panel = useRef<HTMLElement>(null);
  const [before] = useState(() => document.activeElement as HTMLElement | null);
  const close = () => {
    set({ [props.parameter]: '' });
    before?.focus();
  };
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
