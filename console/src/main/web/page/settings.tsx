// The settings in force, for administrators.
import type { EngineSettings } from 'stillwater';
import { usePolled } from './hooks';
import { set, useRoute } from './route';
import { text } from './text';

const EVERY_MILLIS = 60_000;

export function Settings() {
  const { search } = useRoute();
  const settings = usePolled<EngineSettings>('api/v1/engine/settings', EVERY_MILLIS);
  const words = (search.get('q') ?? '').toLowerCase();
  const changed = search.get('changed') === 'true';
  const all = (settings.value?.items ?? []).filter(each =>
    (!changed || each.source !== null) && (words === '' || `${each.name}\n${each.value ?? ''}\n${each.description}`.toLowerCase().includes(words)));
  return (
    <section class="page" aria-label={text.pages.settings}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <input
          id="page-search"
          type="search"
          autocomplete="off"
          placeholder={text.settings.search}
          aria-label={text.settings.search}
          value={search.get('q') ?? ''}
          onInput={event => set({ q: event.currentTarget.value })}
        />
        <label class="flag">
          <input type="checkbox" checked={changed} onChange={event => set({ changed: event.currentTarget.checked ? 'true' : '' })} />
          {text.settings.changed}
        </label>
        <span class="count" role="status">{settings.value ? text.number(all.length) : ''}</span>
      </form>
      {settings.problem && <p class="trouble" role="alert">{settings.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.pages.settings}>
        <table class="cards settings">
          <thead>
            <tr>
              <th scope="col">{text.settings.name}</th>
              <th scope="col">{text.settings.value}</th>
              <th scope="col">{text.settings.source}</th>
              <th scope="col">{text.settings.meaning}</th>
            </tr>
          </thead>
          <tbody>
            {all.map(each => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td><code>{each.value ?? '–'}</code></td>
                <td>{each.source ?? text.settings.usual}</td>
                <td>{each.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {settings.value && all.length === 0 && <p class="nothing">{text.settings.none}</p>}
      </div>
    </section>
  );
}
