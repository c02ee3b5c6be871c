// Dialogs to acknowledge a regression or an alert, and to silence it for a time.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Problem, reason } from './api';
import { Dialog } from './dialog';
import { text } from './text';

const LONGEST = 1000;
const HOUR_MINUTES = 60;
const UNITS = [1, 60, 1440]; // minutes

/** A field with the engine's refusal under it. */
export function Field(props: { title: string; name: string; hint?: string; problem: string; children: (described: Record<string, string | boolean>) => ComponentChildren }) {
  const problemId = `${props.name}-problem`;
  const hintId = `${props.name}-hint`;
  const described = [props.problem !== '' ? problemId : '', props.hint ? hintId : ''].filter(id => id !== '').join(' ');
  return (
    <div class="field">
      <label>
        {props.title}
        {props.children({
          name: props.name, 'aria-invalid': props.problem !== '', ...(described === '' ? {} : { 'aria-describedby': described }),
        })}
      </label>
      {props.hint && <span id={hintId} class="soft">{props.hint}</span>}
      {props.problem !== '' && <span id={problemId} class="bad field-problem" role="alert">{props.problem}</span>}
    </div>
  );
}

/** A dialog with a form; it shows a refusal at its field, any other failure above the buttons. */
export function Ask(props: {
  title: string;
  button: string;
  fields: string[];
  send: () => Promise<void>;
  /** Another button, which leaves the dialog open. */
  also?: { button: string; run: () => Promise<void> };
  close: () => void;
  children: (problems: Record<string, string>) => ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<{ member: string; message: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (failure) {
      setProblem({ member: failure instanceof Problem ? failure.member : '', message: reason(failure, text.act.unreachable) });
    }
    setBusy(false);
  };
  const atField = problem !== null && props.fields.includes(problem.member);
  return (
    <Dialog title={props.title} close={props.close} class="edit">
      <form
        ref={form}
        onSubmit={event => {
          event.preventDefault();
          void run(props.send);
        }}
      >
        {props.children(atField ? { [problem.member]: problem.message } : {})}
        {problem !== null && !atField && <p class="trouble" role="alert">{problem.message}</p>}
        <footer>
          <button type="button" onClick={props.close}>{text.cancel}</button>
          {props.also && (
            <button
              type="button"
              disabled={busy}
              onClick={() => {
                if (form.current!.reportValidity()) void run(props.also!.run);
              }}
            >
              {props.also.button}
            </button>
          )}
          <button class="primary" disabled={busy}>{props.button}</button>
        </footer>
      </form>
    </Dialog>
  );
}

export function Comment({ title, value, problem, change }: { title: string; value: string; problem: string; change: (next: string) => void }) {
  return (
    <Field title={title} name="comment" problem={problem}>
      {described => <input {...described} maxLength={LONGEST} value={value} onInput={event => change(event.currentTarget.value)} />}
    </Field>
  );
}

export function Acknowledge({ name, send, close }: { name: string; send: (comment: string) => Promise<void>; close: () => void }) {
  const [comment, setComment] = useState('');
  return (
    <Ask title={text.know.title(name)} button={text.know.acknowledge} fields={['comment']} send={() => send(comment)} close={close}>
      {problems => <Comment title={text.know.comment} value={comment} problem={problems['comment'] ?? ''} change={setComment} />}
    </Ask>
  );
}

/** The duration and the caller's own fields; sends minutes. */
export function SilenceFor(props: {
  name: string;
  send: (minutes: number, comment: string) => Promise<void>;
  close: () => void;
  /** Without a reason, where the engine keeps none. */
  reason: boolean;
  children?: ComponentChildren;
}) {
  const [count, setCount] = useState(4);
  const [unit, setUnit] = useState(HOUR_MINUTES);
  const [comment, setComment] = useState('');
  return (
    <Ask
      title={text.know.silenceTitle(props.name)}
      button={text.know.silence}
      fields={['minutes', 'comment']}
      send={() => props.send(Number.isNaN(count) ? 0 : Math.round(count * unit), comment)}
      close={props.close}
    >
      {problems => (
        <>
          {props.children}
          <Field title={text.know.silenceFor} name="minutes" problem={problems['minutes'] ?? ''}>
            {described => (
              <span class="tools">
                <input
                  {...described}
                  type="number"
                  min={0}
                  step="any"
                  required
                  value={Number.isNaN(count) ? '' : count}
                  onInput={event => setCount(event.currentTarget.valueAsNumber)}
                />
                <select name="unit" aria-label={text.know.unit} value={unit} onChange={event => setUnit(Number(event.currentTarget.value))}>
                  {UNITS.map(each => <option key={each} value={each}>{text.know.units[each]}</option>)}
                </select>
              </span>
            )}
          </Field>
          {props.reason && <Comment title={text.know.reason} value={comment} problem={problems['comment'] ?? ''} change={setComment} />}
        </>
      )}
    </Ask>
  );
}
