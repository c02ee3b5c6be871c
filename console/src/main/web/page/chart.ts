// The charts of a VM, in a file of their own that is loaded when a chart is wanted.
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
}

/** A chart that is drawn. */
export interface Chart {
  /** Takes other values of the same lines; what the user marks stays marked. */
  update: (at: number[], lines: Line[]) => void;
  end: () => void;
}

const data = (at: number[], lines: Line[]) => [at, ...lines.map(line => line.values)] as uPlot.AlignedData;

/** Draws lines over time, seconds since the epoch. */
export function chart(holder: HTMLElement, at: number[], lines: Line[], { title, most, height, zoom }: ChartOptions): Chart {
  const style = getComputedStyle(holder);
  const ink = style.getPropertyValue('--soft');
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid, size: 44, font: `11px ${style.fontFamily}` };
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
