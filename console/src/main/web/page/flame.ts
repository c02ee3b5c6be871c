// A tree of calls as a flame graph on a canvas: the outermost call on top, the width is the share of samples.
import type { EngineCall } from 'stillwater';

/** One call in the graph. */
export interface Frame {
  name: string;
  /** The stage that it belongs to: the call at the first level. */
  stage: string;
  samples: number;
  /** Samples in the method itself, without its callees. */
  own: number;
  depth: number;
  /** Its place, 0 to 1 of the whole width. */
  from: number;
  to: number;
  /** Index of the caller; -1 for the whole. */
  parent: number;
}

export const ROW = 18; // pixels
const LEAST_SHARE = 1 / 4000; // narrower calls are not on any screen
const LEAST_TEXT = 24; // pixels
const MARGIN = 4;

/** Calls of a tree, a caller before its callees, the wider ones first. */
export function framesOf(tree: EngineCall): Frame[] {
  const frames: Frame[] = [];
  const whole = Math.max(1, tree.samples);
  const add = (call: EngineCall, stage: string, depth: number, from: number, parent: number) => {
    const at = frames.length;
    const below = call.children.reduce((sum, child) => sum + child.samples, 0);
    frames.push({
      name: call.name, stage, samples: call.samples, own: Math.max(0, call.samples - below), depth, from, to: from + call.samples / whole, parent,
    });
    let next = from;
    for (const child of [...call.children].sort((a, b) => b.samples - a.samples)) {
      const share = child.samples / whole;
      if (share >= LEAST_SHARE) add(child, depth === 0 ? child.name : stage, depth + 1, next, at);
      next += share;
    }
  };
  add(tree, '', 0, 0, -1);
  return frames;
}

export interface Method {
  name: string;
  samples: number;
  share: number;
}

/** Methods by the samples in themselves; stages are no methods. */
export function hottest(frames: Frame[], most: number): Method[] {
  const whole = Math.max(1, frames[0]?.samples ?? 0);
  const samples = new Map<string, number>();
  for (const frame of frames) if (frame.depth > 1 && frame.own > 0) samples.set(frame.name, (samples.get(frame.name) ?? 0) + frame.own);
  return [...samples]
    .map(([name, own]) => ({ name, samples: own, share: own / whole }))
    .sort((a, b) => b.samples - a.samples)
    .slice(0, most);
}

/** The frame under a point of the canvas; -1 if there is none. */
export function frameAt(frames: Frame[], zoomed: number, width: number, x: number, y: number): number {
  const zoom = frames[zoomed] ?? frames[0];
  if (!zoom) return -1;
  const depth = Math.floor(y / ROW);
  const at = zoom.from + (x / width) * (zoom.to - zoom.from);
  return frames.findIndex(each => each.depth === depth && each.from <= at && at < each.to);
}

/** Where the keys of arrows lead from a frame: to its caller, to its widest call, to its neighbours. */
export function neighbour(frames: Frame[], at: number, key: string): number {
  const frame = frames[at];
  if (!frame) return 0;
  if (key === 'ArrowUp') return Math.max(0, frame.parent);
  if (key === 'ArrowDown') {
    const child = frames.findIndex(each => each.parent === at);
    return child < 0 ? at : child;
  }
  const siblings = frames.map((each, i) => (each.parent === frame.parent && each.depth === frame.depth ? i : -1)).filter(i => i >= 0);
  const next = siblings.indexOf(at) + (key === 'ArrowRight' ? 1 : -1);
  return siblings[next] ?? at;
}

function hue(stage: string): number {
  let sum = 7;
  for (const letter of stage) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return sum;
}

const shortened = (name: string, letters: number) => (name.length <= letters ? name : letters < 3 ? '' : `${name.slice(0, letters - 1)}…`);

/** Draws the graph of one zoomed frame with its callers above it. */
export function draw(canvas: HTMLCanvasElement, frames: Frame[], zoomed: number, active: number): void {
  const zoom = frames[zoomed] ?? frames[0];
  const width = Math.max(200, canvas.parentElement?.clientWidth ?? 0);
  const span = zoom ? zoom.to - zoom.from : 1;
  const visible = frames.filter(each => zoom && each.to > zoom.from && each.from < zoom.to && ((Math.min(each.to, zoom.to) - Math.max(each.from, zoom.from)) / span) * width >= 1);
  canvas.width = width;
  canvas.height = ROW * (1 + visible.reduce((most, each) => Math.max(most, each.depth), 0));
  const context = canvas.getContext('2d')!;
  const style = getComputedStyle(canvas);
  const light = style.colorScheme === 'dark' ? 30 : 80;
  const ink = style.getPropertyValue('--ink');
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  const letter = context.measureText('m').width * 0.8;
  for (const frame of visible) {
    const x = Math.max(0, ((frame.from - zoom!.from) / span) * width);
    const wide = Math.min(width, ((frame.to - zoom!.from) / span) * width) - x;
    const y = frame.depth * ROW;
    context.fillStyle = frame.depth === 0 ? style.getPropertyValue('--line') : `hsl(${hue(frame.stage)} 55% ${light - (frame.depth % 2) * 4}%)`;
    context.fillRect(x, y, Math.max(1, wide - 1), ROW - 1);
    if (wide >= LEAST_TEXT) {
      context.fillStyle = ink;
      context.fillText(shortened(frame.name, Math.floor((wide - 2 * MARGIN) / letter)), x + MARGIN, y + ROW / 2);
    }
    if (frame === frames[active]) {
      context.strokeStyle = ink;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), ROW - 3);
    }
  }
}
