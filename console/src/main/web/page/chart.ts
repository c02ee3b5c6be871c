// Charts, in a file of their own that is loaded when a chart is wanted.
import uPlot from 'uplot';

export interface Line {
  label: string;
  values: (number | null)[];
}

const COLOURS = ['--accent', '--warn', '--good', '--bad', '--busy', '--map-3', '--map-6', '--idle'];

const LEAST_MARKED = 5; // pixels: less is a click

export interface ChartOptions {
  title: string;
  /** The top of the scale at least; null for the largest value. */
  most: number | null;
  height: number;
  /** Called with the marked period, seconds since the epoch. */
  zoom: (from: number, to: number) => void;
  /** A moment with the interval that it lies in, seconds since the epoch. */
  begin?: { at: number; from: number; to: number } | null;
  /** A level, and the band that values of it lie in. */
  level?: { value: number; low: number; high: number } | null;
  /** Whether values have a dot each: few of them, and no line between where one is missing. */
  dots?: boolean;
}

/** A chart that is drawn. */
export interface Chart {
  /** Takes other values of the same lines; a marked period stays marked. */
  update: (at: number[], lines: Line[]) => void;
  end: () => void;
}

const translucent = (colour: string, share: string) => colour.trim() + share;

/** The band of a level and the interval of a begin, behind the lines, as far as they are in the chart. */
function behind(drawn: uPlot, style: CSSStyleDeclaration, { begin, level }: ChartOptions): void {
  const { ctx, bbox } = drawn;
  const right = bbox.left + bbox.width;
  const bottom = bbox.top + bbox.height;
  const x = (seconds: number) => Math.min(right, Math.max(bbox.left, drawn.valToPos(seconds, 'x', true)));
  const y = (value: number) => Math.min(bottom, Math.max(bbox.top, drawn.valToPos(value, 'y', true)));
  const line = (fromX: number, fromY: number, toX: number, toY: number) => {
    ctx.beginPath();
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
    ctx.stroke();
  };
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  if (level) {
    ctx.fillStyle = translucent(style.getPropertyValue('--accent'), '26');
    ctx.fillRect(bbox.left, y(level.high), bbox.width, y(level.low) - y(level.high));
    ctx.strokeStyle = style.getPropertyValue('--accent');
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    line(bbox.left, y(level.value), right, y(level.value));
  }
  if (begin) {
    const colour = style.getPropertyValue('--bad');
    ctx.fillStyle = translucent(colour, '26');
    ctx.fillRect(x(begin.from), bbox.top, Math.max(devicePixelRatio, x(begin.to) - x(begin.from)), bbox.height);
    ctx.strokeStyle = colour;
    ctx.setLineDash([]);
    line(x(begin.at), bbox.top, x(begin.at), bottom);
  }
  ctx.restore();
}

const AXIS_PIXELS = 44;
const DIGIT_PIXELS = 7;
const TICK_PIXELS = 16;

/** Room for the longest number beside an axis, in pixels: 10,000 needs more than 100. */
const roomFor = (_drawn: uPlot, values: string[] | null): number =>
  Math.max(AXIS_PIXELS, TICK_PIXELS + DIGIT_PIXELS * Math.max(0, ...(values ?? []).map(value => String(value ?? '').length)));

const data = (at: number[], lines: Line[]) => [at, ...lines.map(line => line.values)] as uPlot.AlignedData;

/** Draws lines over time, seconds since the epoch. */
export function chart(holder: HTMLElement, at: number[], lines: Line[], options: ChartOptions): Chart {
  const { title, most, height, zoom } = options;
  const style = getComputedStyle(holder);
  const ink = style.getPropertyValue('--soft');
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid, size: roomFor, font: `11px ${style.fontFamily}` };
  const made = new uPlot(
    {
      title,
      width: Math.max(200, holder.clientWidth),
      height,
      legend: { live: true },
      cursor: { sync: { key: 'vm' }, drag: { x: true, y: false, setScale: false } },
      scales: { y: { range: (_u, _min, max) => [0, Math.max(most ?? 0, max * 1.05, 1)] } },
      axes: [{ ...axis, size: 28 }, axis],
      hooks: {
        drawClear: [drawn => behind(drawn, style, options)],
        setSelect: [
          drawn => {
            const { left, width } = drawn.select;
            if (width < LEAST_MARKED) return;
            const [from, to] = [drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x')];
            drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false); // else later samples would mark it again
            zoom(from, to);
          },
        ],
      },
      series: [
        {},
        ...lines.map((line, i) => ({
          label: line.label,
          stroke: style.getPropertyValue(COLOURS[i % COLOURS.length]!),
          width: 1.5,
          spanGaps: false,
          ...(options.dots ? { points: { show: true, size: 6 } } : {}),
        })),
      ],
    },
    data(at, lines),
    holder,
  );
  const resized = new ResizeObserver(() => made.setSize({ width: Math.max(200, holder.clientWidth), height }));
  resized.observe(holder);
  return {
    update: (later, values) => made.setData(data(later, values)),
    end: () => {
      resized.disconnect();
      made.destroy();
    },
  };
}

/** One operation of a benchmark: its newest values by record size, beside their levels and bands. */
export interface Curve {
  title: string;
  height: number;
  /** Sizes of the records in words. */
  sizes: string[];
  last: Line;
  baseline: Line;
  /** Ends of the bands; null where there is none. */
  low: (number | null)[];
  high: (number | null)[];
  /** Whether the value at a size is a dip. */
  dips: boolean[];
}

const DIP_PIXELS = 7;

/** Draws values over sizes of records, which are evenly spaced. */
export function curve(holder: HTMLElement, { title, height, sizes, last, baseline, low, high, dips }: Curve): Chart {
  const style = getComputedStyle(holder);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: colour('--soft'), grid, ticks: grid, size: roomFor, font: `11px ${style.fontFamily}` };
  const hidden = { stroke: 'transparent', width: 0, points: { show: false } };
  const made = new uPlot(
    {
      title,
      width: Math.max(200, holder.clientWidth),
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: () => [-0.3, sizes.length - 0.7] }, y: { range: (_u, _min, max) => [0, Math.max(max * 1.05, 1)] } },
      axes: [
        { ...axis, size: 28, splits: () => sizes.map((_size, i) => i), values: (_u, splits) => splits.map(i => sizes[i] ?? '') },
        axis,
      ],
      bands: [{ series: [4, 3], fill: translucent(colour('--accent'), '26') }],
      hooks: {
        draw: [
          drawn => {
            const { ctx } = drawn;
            const reach = DIP_PIXELS * devicePixelRatio;
            ctx.save();
            ctx.strokeStyle = colour('--bad');
            ctx.lineWidth = 2 * devicePixelRatio;
            dips.forEach((isDip, i) => {
              const value = last.values[i];
              if (!isDip || value === null || value === undefined) return;
              const x = drawn.valToPos(i, 'x', true);
              const y = drawn.valToPos(value, 'y', true);
              ctx.beginPath();
              ctx.moveTo(x, y - reach);
              ctx.lineTo(x + reach, y);
              ctx.lineTo(x, y + reach);
              ctx.lineTo(x - reach, y);
              ctx.closePath();
              ctx.stroke();
            });
            ctx.restore();
          },
        ],
      },
      series: [
        {},
        { label: last.label, stroke: colour('--accent'), width: 1.5, points: { show: true, size: 6 } },
        { label: baseline.label, stroke: colour('--soft'), width: 1, dash: [6, 4], points: { show: false } },
        { label: '', ...hidden },
        { label: '', ...hidden },
      ],
    },
    [sizes.map((_size, i) => i), last.values, baseline.values, low, high] as uPlot.AlignedData,
    holder,
  );
  const resized = new ResizeObserver(() => made.setSize({ width: Math.max(200, holder.clientWidth), height }));
  resized.observe(holder);
  return {
    update: () => undefined,
    end: () => {
      resized.disconnect();
      made.destroy();
    },
  };
}
