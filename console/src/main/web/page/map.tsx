import { useEffect, useRef, useState } from 'preact/hooks';
import type { MapData } from '../protocol';
import * as client from './client';
import { useTold } from './hooks';
import { set, useRoute } from './route';
import { text, words } from './text';

const EVERY_MILLIS = 1000;
const LABEL = 14; // pixels above the cells of a host
const GAP = 8; // pixels between hosts
const LEAST_CELL = 2;
const MOST_CELL = 40;
const LEAST_GAPPED_CELL = 4; // smaller cells have no line between them

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

function colour(value: string): number {
  const context = document.createElement('canvas').getContext('2d')!;
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

/** Colours by their number in the data: ranks of trouble, 15 unknown, from 16 on tenths of a usage. */
function palette(style: CSSStyleDeclaration): Uint32Array {
  const all = new Uint32Array(27);
  for (let i = 0; i < 8; i++) all[i] = colour(style.getPropertyValue(`--map-${i}`).trim());
  all[15] = colour(style.getPropertyValue('--line').trim());
  for (let i = 0; i <= 10; i++) all[16 + i] = colour(`hsl(${190 - i * 19} 65% ${62 - i * 2}%)`);
  return all;
}

export function VmMap() {
  const { search } = useRoute();
  const by = search.get('by') ?? 'status';
  const counts = useTold('counts');
  const canvas = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ map: MapData; layout: Layout } | null>(null);
  const [hint, setHint] = useState('');

  useEffect(() => {
    client.usage(by !== 'status');
    let current = true;
    let timer = 0;
    let last = '';
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
      const image = context.createImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      const colours = palette(style);
      const { cell } = layout;
      const size = cell >= LEAST_GAPPED_CELL ? cell - 1 : cell;
      for (const block of layout.blocks) {
        for (let i = 0; i < block.count; i++) {
          const fill = colours[map.colours[block.first + i]!]!;
          const x = block.x + (i % block.columns) * cell;
          let at = (block.y + Math.floor(i / block.columns) * cell) * width + x;
          for (let row = 0; row < size; row++, at += width) pixels.fill(fill, at, at + size);
        }
      }
      context.putImageData(image, 0, 0);
      context.font = `10px ${style.fontFamily}`;
      let block = 0;
      for (const host of map.hosts) {
        if (host.vms === 0) continue;
        const { x, y, columns } = layout.blocks[block++]!;
        context.fillStyle = style.getPropertyValue(host.status === '' || host.status === 'up' ? '--soft' : '--bad');
        context.fillText(host.name === '' ? text.map.noHost : host.name, x, y - 4, columns * cell);
      }
    };
    const look = async () => {
      if (!document.hidden) {
        const map = await client.map(by);
        if (!current) return;
        // A map that did not change is not drawn again.
        let sum = 0;
        for (let i = 0; i < map.slots.length; i++) sum = (sum * 31 + map.slots[i]! * 32 + map.colours[i]!) | 0;
        const key = `${sum} ${holder.current?.clientWidth} ${holder.current?.clientHeight} ${document.documentElement.dataset['theme']}`;
        if (key !== last) draw(map);
        last = key;
      }
      if (current) timer = window.setTimeout(() => void look(), EVERY_MILLIS);
    };
    void look();
    return () => {
      current = false;
      clearTimeout(timer);
      client.usage(false);
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
  const hover = async (event: MouseEvent) => {
    const at = slotAt(event);
    const vm = at < 0 ? undefined : await client.slot(at);
    setHint(vm ? `${vm.name} · ${words(vm.status)}${vm.host === '' ? '' : ` · ${vm.host}`}` : '');
  };
  const open = async (event: MouseEvent) => {
    const at = slotAt(event);
    const vm = at < 0 ? undefined : await client.slot(at);
    if (vm) set({ vm: vm.id }, false);
  };
  return (
    <section class="page" aria-label={text.pages.map}>
      <form class="tools" onSubmit={event => event.preventDefault()}>
        <label>
          {text.map.by}{' '}
          <select value={by} onChange={event => set({ by: event.currentTarget.value === 'status' ? '' : event.currentTarget.value })}>
            <option value="status">{text.map.status}</option>
            <option value="cpu">{text.map.cpu}</option>
            <option value="memory">{text.map.memory}</option>
          </select>
        </label>
        <span class="count" role="status">{hint}</span>
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
      <div class="list map" ref={holder} tabIndex={0} role="group" aria-label={text.pages.map}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={text.map.label(counts.total)}
          onMouseMove={event => void hover(event)}
          onMouseLeave={() => setHint('')}
          onClick={event => void open(event)}
        />
      </div>
    </section>
  );
}
