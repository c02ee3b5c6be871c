// The form that changes the same members of the definitions of many VMs.
import type { ComponentChildren } from 'preact';
import { text } from './text';

const LONGEST = 4000;
const MOST_PRIORITY = 100;

type Parameters = Record<string, unknown>;

/** A member that is changed only if it is marked. */
function Member(props: {
  name: string;
  title: string;
  usual: unknown;
  parameters: Parameters;
  change: (next: Parameters) => void;
  children: (value: unknown, set: (next: unknown) => void, disabled: boolean) => ComponentChildren;
}) {
  const { name, title, usual, parameters, change } = props;
  const { [name]: value, ...others } = parameters;
  const marked = name in parameters;
  return (
    <div class="member">
      <label class="flag">
        <input type="checkbox" checked={marked} onChange={event => change(event.currentTarget.checked ? { ...parameters, [name]: usual } : others)} />
        {title}
      </label>
      {props.children(marked ? value : usual, next => change({ ...parameters, [name]: next }), !marked)}
    </div>
  );
}

/** Members with a meaning for many VMs; those without a mark stay as each VM has them. */
export function EditFields({ parameters, change }: { parameters: Parameters; change: (next: Parameters) => void }) {
  const shared = { parameters, change };
  const words = (name: string, title: string) => (
    <Member name={name} title={title} usual="" {...shared}>
      {(value, set, disabled) => (
        <input name={name} aria-label={title} disabled={disabled} maxLength={LONGEST} value={String(value)} onInput={event => set(event.currentTarget.value)} />
      )}
    </Member>
  );
  const flag = (name: string, title: string) => (
    <Member name={name} title={title} usual {...shared}>
      {(value, set, disabled) => (
        <select name={name} aria-label={title} disabled={disabled} value={String(value)} onChange={event => set(event.currentTarget.value === 'true')}>
          <option value="true">{text.edit.yes}</option>
          <option value="false">{text.edit.no}</option>
        </select>
      )}
    </Member>
  );
  return (
    <div class="members" role="group" aria-label={text.edit.members}>
      <Member name="priority" title={text.edit.priority} usual={0} {...shared}>
        {(value, set, disabled) => (
          <input
            name="priority"
            type="number"
            aria-label={text.edit.priority}
            disabled={disabled}
            min={0}
            max={MOST_PRIORITY}
            value={String(value)}
            onInput={event => set(Number.isNaN(event.currentTarget.valueAsNumber) ? 0 : event.currentTarget.valueAsNumber)}
          />
        )}
      </Member>
      {flag('highlyAvailable', text.edit.highlyAvailable)}
      {flag('deleteProtected', text.edit.deleteProtected)}
      {words('description', text.edit.description)}
      {words('comment', text.edit.comment)}
    </div>
  );
}
