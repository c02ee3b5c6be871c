// The charts of a VM, in a file of their own that is loaded when a chart is wanted.
import uPlot from 'uplot';

export interface Line {
  label: string;
  values: (number | null)[];
}

const COLOURS = ['--accent', '--warn', '--good', '--bad'];

/** Draws lines over time, seconds since the epoch; the chart ends with the returned function. */
export function chart(holder: HTMLElement, title: string, at: number[], lines: Line[], most: number | null): () => void {
  const style = getComputedStyle(holder);
  const ink = style.getPropertyValue('--soft');
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid, size: 44, font: `11px ${style.fontFamily}` };
  const made = new uPlot(
    {
      title,
      width: Math.max(200, holder.clientWidth),
      height: 130,
      legend: { live: true },
      cursor: { sync: { key: 'vm' } },
      scales: { y: { range: (_u, _min, max) => [0, Math.max(most ?? 0, max * 1.05, 1)] } },
      axes: [{ ...axis, size: 28 }, axis],
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
    [at, ...lines.map(line => line.values)] as uPlot.AlignedData,
    holder,
  );
  const resized = new ResizeObserver(() => made.setSize({ width: Math.max(200, holder.clientWidth), height: 130 }));
  resized.observe(holder);
  return () => {
    resized.disconnect();
    made.destroy();
  };
}
