import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from './text';

/**
 * A modal dialog; the browser keeps the focus in it and gives it back. It opens in the task that renders it, not after
 * the next frame: keys that follow at once belong to the dialog, not to the field behind it.
 */
export function Dialog(props: { title: string; close: (() => void) | null; class?: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    dialog.showModal();
    return () => {
      // The browser gave the focus back where it closed the dialog, and the user may have moved it since.
      if (!dialog.open) return;
      dialog.close();
      before?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={props.class ?? ''}
      aria-label={props.title}
      onCancel={event => {
        event.preventDefault();
        props.close?.();
      }}
      onClose={() => {
        // A browser asks by cancel only after a key or a click of the user; a second Escape closes without asking.
        const dialog = element.current;
        if (!dialog || dialog.open) return;
        if (props.close) props.close();
        else dialog.showModal();
      }}
      onClick={event => {
        if (event.target === element.current) props.close?.();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>{props.title}</h2>
          {props.close && (
            <button type="button" class="plain" aria-label={text.close} onClick={props.close}>
              ×
            </button>
          )}
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
