// A chart of values over time that marks a begin or a level; its drawing code is loaded with the first one.
import { useEffect, useRef } from 'preact/hooks';
import type { Chart as Drawn, ChartOptions, Line } from './chart';
import { useShades } from './hooks';
import { part } from './part';

export const seconds = (time: string): number => Date.parse(time) / 1000;

export interface TimeChartProps extends Omit<ChartOptions, 'zoom'> {
  /** Seconds since the epoch. */
  at: number[];
  lines: Line[];
  label: string;
}

export function TimeChart({ label, ...shown }: TimeChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const what = JSON.stringify(shown);
  const colours = useShades();
  useEffect(() => {
    let current = true;
    let drawn: Drawn | null = null;
    void part(() => import('./chart'), () => current).then(drawing => {
      if (!drawing || !current || !holder.current) return;
      const { at, lines, ...options } = shown;
      drawn = drawing.chart(holder.current, at, lines, { ...options, zoom: () => undefined });
    });
    return () => {
      current = false;
      drawn?.end();
    };
  }, [what, colours]);
  return <div class="chart" ref={holder} role="img" aria-label={label} />;
}
