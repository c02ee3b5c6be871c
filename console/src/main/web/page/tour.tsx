// A tour of the console's tasks in five steps. It opens the pages; the user acts.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { go, href, type Page } from './route';
import { text } from './text';

const PLACES: [Page, Record<string, string>][] = [
  ['vms', { q: 'is:trouble' }],
  ['vms', { q: 'status:down' }],
  ['vms', { q: 'status:up', sort: '-cpu' }],
  ['hosts', {}],
  ['map', {}],
];

export const TOUR_STEPS = PLACES.length;

/** One step, from 1 on; `move` requests another one, 0 ends the tour. */
export function Tour({ step, move }: { step: number; move: (step: number) => void }) {
  const next = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const [page, values] = PLACES[step - 1]!;
    go(href(page, values));
    next.current?.focus();
  }, [step]);
  const { title, what } = text.tour.steps[step - 1]!;
  return (
    <aside
      class="tour"
      aria-label={text.tour.title}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          move(0);
        }
      }}
    >
      <h2>{text.tour.step(step, TOUR_STEPS, title)}</h2>
      <p aria-live="polite">{what}</p>
      <footer>
        <button type="button" onClick={() => move(0)}>{text.tour.end}</button>
        {step > 1 && <button type="button" onClick={() => move(step - 1)}>{text.tour.back}</button>}
        <button ref={next} type="button" class="primary" onClick={() => move(step < TOUR_STEPS ? step + 1 : 0)}>
          {step < TOUR_STEPS ? text.tour.next : text.tour.done}
        </button>
      </footer>
    </aside>
  );
}
