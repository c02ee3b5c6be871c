import { useEffect, useRef, useState } from 'preact/hooks';
import { COLOURINGS } from '../metrics';
import { MARKED, type MapData } from '../protocol';
import * as client from './client';
import { shades, useTold } from './hooks';
import { href, set, useRoute } from './route';
import { text, words } from './text';

const EVERY_MILLIS = 1000;
const LABEL = 14; // pixels above the cells of a host
const GAP = 8; // pixels between hosts
const LEAST_CELL = 2;
const MOST_CELL = 40;
const LEAST_GAPPED_CELL = 4; // smaller cells have no line between them
const LEAST_FRAMED_CELL = 4; // smaller cells have no room for a frame
const SHADES = 11; // of a usage

/** Where the cells of a host are. */
interface Block {
  x: number;
  y: number;
  columns: number;
  first: number;
  count: number;
}

interface Layout {
  cell: number;
  height: number;
  blocks: Block[];
}

/** Places blocks of hosts in lines; cells are as large as the screen has room for. */
function layOut(map: MapData, width: number, height: number): Layout {
  let layout: Layout = { cell: LEAST_CELL, height: 0, blocks: [] };
  for (let cell = MOST_CELL; cell >= LEAST_CELL; cell--) {
    layout = { cell, height: 0, blocks: [] };
    let x = 0;
    let y = 0;
    let line = 0;
    let first = 0;
    for (const { vms } of map.hosts) {
      if (vms === 0) continue;
      const columns = Math.max(Math.ceil(40 / cell), Math.min(Math.floor(width / cell), Math.ceil(Math.sqrt(vms * 1.6))));
      const wide = columns * cell;
      if (x > 0 && x + wide > width) {
        x = 0;
        y += line + GAP;
        line = 0;
      }
      layout.blocks.push({ x, y: y + LABEL, columns, first, count: vms });
      line = Math.max(line, LABEL + Math.ceil(vms / columns) * cell);
      x += wide + GAP;
      first += vms;
    }
    layout.height = y + line;
    if (layout.height <= height) break;
  }
  return layout;
}

/** The cell that a key leads to; the first one when there was none. */
function moved(key: string, at: number, { blocks }: Layout): number | null {
  const of = blocks.findIndex(block => at >= block.first && at < block.first + block.count);
  const block = blocks[of];
  if (!block) return blocks.length > 0 && key.startsWith('Arrow') ? 0 : null;
  const last = blocks.at(-1)!;
  const most = last.first + last.count - 1;
  switch (key) {
    case 'ArrowLeft': return Math.max(0, at - 1);
    case 'ArrowRight': return Math.min(most, at + 1);
    case 'ArrowUp': return at - block.columns >= block.first ? at - block.columns : Math.max(0, block.first - 1);
    case 'ArrowDown': return Math.min(most, at + block.columns < block.first + block.count ? at + block.columns : block.first + block.count);
    case 'PageUp': return blocks[Math.max(0, of - 1)]!.first;
    case 'PageDown': return blocks[Math.min(blocks.length - 1, of + 1)]!.first;
    case 'Home': return 0;
    case 'End': return most;
    default: return null;
  }
}

function colour(value: string): number {
  const context = document.createElement('canvas').getContext('2d')!;
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

const shade = (i: number) => `hsl(${190 - i * 19} 65% ${62 - i * 2}%)`;

/** Colours by their number in the data: ranks of trouble, 15 unknown, from 16 on tenths of a usage. The last one is that of frames. */
function palette(style: CSSStyleDeclaration): Uint32Array {
  const all = new Uint32Array(16 + SHADES + 1);
  for (let i = 0; i < 8; i++) all[i] = colour(style.getPropertyValue(`--map-${i}`).trim());
  all[15] = colour(style.getPropertyValue('--line').trim());
  for (let i = 0; i < SHADES; i++) all[16 + i] = colour(shade(i));
  all[16 + SHADES] = colour(style.getPropertyValue('--ink').trim());
  return all;
}

/** The picture of the last draw; of a map in the same places, only cells of another colour are painted again. */
interface Picture {
  shades: string;
  colours: Uint32Array;
  places: string;
  cells: Uint8Array;
  image: ImageData;
}

function paint(map: MapData, layout: Layout, width: number, height: number, element: HTMLCanvasElement, before: Picture | null): Picture {
  const now = shades();
  const colours = before?.shades === now ? before.colours : palette(getComputedStyle(element));
  const { cell, blocks } = layout;
  const places = `${width} ${height} ${cell} ${blocks.map(block => block.count).join()}`;
  const same = before?.places === places && before.shades === now;
  const image = same ? before.image : new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const size = cell >= LEAST_GAPPED_CELL ? cell - 1 : cell;
  for (const block of blocks) {
    for (let i = 0; i < block.count; i++) {
      const number = map.colours[block.first + i]!;
      if (same && before.cells[block.first + i] === number) continue;
      const isMarked = number >= MARKED;
      const frame = colours[16 + SHADES]!;
      const fill = isMarked && size < LEAST_FRAMED_CELL ? frame : colours[isMarked ? number - MARKED : number]!;
      let at = (block.y + Math.floor(i / block.columns) * cell) * width + block.x + (i % block.columns) * cell;
      for (let row = 0; row < size; row++, at += width) {
        pixels.fill(isMarked && (row === 0 || row === size - 1) ? frame : fill, at, at + size);
        if (isMarked) pixels[at] = pixels[at + size - 1] = frame;
      }
    }
  }
  return { shades: now, colours, places, cells: map.colours, image };
}

export function VmMap() {
  const { search } = useRoute();
  const wanted = search.get('by') ?? '';
  const by = COLOURINGS.includes(wanted) ? wanted : 'status';
  const counts = useTold('counts');
  const canvas = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ map: MapData; layout: Layout } | null>(null);
  const [hint, setHint] = useState('');
  const [most, setMost] = useState(0);
  const again = useRef<() => void>(() => undefined);
  const chosen = useRef(-1); // the slot under the cursor of the keyboard
  const cursor = useRef<HTMLElement>(null);

  /** Puts the cursor on the chosen VM, wherever the map has it now. */
  const place = (): number => {
    const now = drawn.current;
    const at = chosen.current < 0 || !now ? -1 : now.map.slots.indexOf(chosen.current);
    const block = now?.layout.blocks.find(each => at >= each.first && at < each.first + each.count);
    cursor.current!.hidden = !block;
    if (!block) return -1;
    const { cell } = now!.layout;
    const i = at - block.first;
    Object.assign(cursor.current!.style, {
      left: `${block.x + (i % block.columns) * cell}px`, top: `${block.y + Math.floor(i / block.columns) * cell}px`, width: `${cell}px`, height: `${cell}px`,
    });
    return at;
  };

  useEffect(() => {
    client.colour(by);
    let current = true;
    let timer = 0;
    let looking = false;
    let last = '';
    let picture: Picture | null = null;
    const draw = (map: MapData) => {
      const element = canvas.current!;
      const box = holder.current!;
      const style = getComputedStyle(element);
      const width = box.clientWidth - 4;
      const layout = layOut(map, width, box.clientHeight - 4);
      const height = Math.max(1, layout.height);
      if (element.width !== width || element.height !== height) {
        element.width = width;
        element.height = height;
      }
      drawn.current = { map, layout };
      const context = element.getContext('2d')!;
      picture = paint(map, layout, width, height, element, picture);
      context.putImageData(picture.image, 0, 0);
      context.font = `10px ${style.fontFamily}`;
      place();
      let block = 0;
      for (const host of map.hosts) {
        if (host.vms === 0) continue;
        const { x, y, columns } = layout.blocks[block++]!;
        context.fillStyle = style.getPropertyValue(host.status === '' || host.status === 'up' ? '--soft' : '--bad');
        context.fillText(host.name === '' ? text.map.noHost : host.name, x, y - 4, columns * layout.cell);
      }
    };
    const look = async () => {
      clearTimeout(timer);
      if (looking) return;
      looking = true;
      if (!document.hidden) {
        const map = await client.map(by);
        if (!current) return;
        setMost(map.most);
        // A map that did not change is not drawn again.
        let sum = 0;
        for (let i = 0; i < map.slots.length; i++) sum = (sum * 31 + map.slots[i]! * 64 + map.colours[i]!) | 0;
        const key = `${sum} ${holder.current?.clientWidth} ${holder.current?.clientHeight} ${shades()}`;
        if (key !== last) draw(map);
        last = key;
      }
      looking = false;
      if (current) timer = window.setTimeout(() => void look(), EVERY_MILLIS);
    };
    again.current = () => void look();
    void look();
    return () => {
      current = false;
      clearTimeout(timer);
      client.colour('');
    };
  }, [by]);

  const slotAt = (event: MouseEvent): number => {
    const now = drawn.current;
    if (!now) return -1;
    const { cell, blocks } = now.layout;
    for (const block of blocks) {
      const column = Math.floor((event.offsetX - block.x) / cell);
      const row = Math.floor((event.offsetY - block.y) / cell);
      const i = row * block.columns + column;
      if (column >= 0 && column < block.columns && row >= 0 && i < block.count) return now.map.slots[block.first + i]!;
    }
    return -1;
  };
  const tell = async (at: number) => {
    const vm = at < 0 ? undefined : await client.slot(at);
    const value = vm && by !== 'status' ? ` · ${vm.value === null ? text.map.unknown : text.map.value(by, vm.value)}` : '';
    setHint(vm ? `${vm.name} · ${words(vm.status)}${vm.host === '' ? '' : ` · ${vm.host}`}${value}` : '');
  };
  const select = async (at: number) => {
    const vm = at < 0 ? undefined : await client.slot(at);
    if (!vm) return;
    client.select('toggle', -1, vm.id);
    again.current();
  };
  const open = async (at: number) => {
    const vm = at < 0 ? undefined : await client.slot(at);
    if (vm) set({ vm: vm.id }, false);
  };
  const key = (event: KeyboardEvent) => {
    const now = drawn.current;
    if (!now || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      void open(chosen.current);
      return;
    }
    if (event.key === ' ') {
      event.preventDefault(); // it does not scroll
      void select(chosen.current);
      return;
    }
    const next = moved(event.key, place(), now.layout);
    if (next === null) return;
    event.preventDefault(); // the keys move the cursor, which scrolls the map
    chosen.current = now.map.slots[next]!;
    place();
    cursor.current!.scrollIntoView({ block: 'nearest' });
    void tell(chosen.current);
  };
  return (
    <section class="page" aria-label={text.pages.map}>
      <form class="tools" onSubmit={event => event.preventDefault()}>
        <label>
          {text.map.by}{' '}
          <select value={by} onChange={event => set({ by: event.currentTarget.value === 'status' ? '' : event.currentTarget.value })}>
            {COLOURINGS.map(each => <option key={each} value={each}>{text.map.bys[each]}</option>)}
          </select>
        </label>
        <span class="count" role="status">{hint}</span>
        {counts.selected > 0 && <a href={href('vms', { q: 'is:selected' })}>{text.map.inList(counts.selected)}</a>}
        {by !== 'status' && (
          <p class="scale">
            {text.map.value(by, 0)}
            <span aria-hidden="true">{Array.from({ length: SHADES }, (_, i) => <i key={i} style={{ background: shade(i) }} />)}</span>
            {by === 'age' ? text.map.orMore(text.map.value(by, most)) : text.map.value(by, most)}
          </p>
        )}
        {by === 'status' && (
          <ul class="legend">
            {text.map.legend.map((name, i) => (
              <li key={name}>
                <i class={`map-${i}`} aria-hidden="true" />
                {name}
              </li>
            ))}
          </ul>
        )}
      </form>
      <div class="list map" ref={holder} tabIndex={0} role="group" aria-label={text.map.keys} onKeyDown={key}>
        <i class="map-cursor" ref={cursor} hidden aria-hidden="true" />
        <canvas
          ref={canvas}
          role="img"
          aria-label={text.map.label(counts.total)}
          onMouseMove={event => void tell(slotAt(event))}
          onMouseLeave={() => setHint('')}
          title={hint}
          onClick={event => void (event.ctrlKey || event.metaKey ? select(slotAt(event)) : open(slotAt(event)))}
        />
      </div>
    </section>
  );
}
