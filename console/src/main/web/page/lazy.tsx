// Pages that are loaded when one of them is opened.
import { useEffect, useState } from 'preact/hooks';
import { part } from './part';
import type { Page } from './route';
import { text } from './text';

const INSIGHTS = ['findings', 'alerts', 'benchmarks'] as const;
type InsightPage = (typeof INSIGHTS)[number];
type Loaded = typeof import('./insight');

let loaded: Loaded | null = null;

export const isInsight = (page: Page): page is InsightPage => INSIGHTS.some(each => each === page);

export function Insight({ page }: { page: InsightPage }) {
  const [ready, setReady] = useState(loaded);
  useEffect(() => {
    if (ready) return undefined;
    let current = true;
    void part(() => import('./insight'), () => current).then(made => {
      loaded = made ?? loaded;
      if (current) setReady(loaded);
    });
    return () => {
      current = false;
    };
  }, []);
  if (!ready) return <section class="page" aria-label={text.pages[page]}><p class="soft" role="status">{text.loadingPage}</p></section>;
  const Shown = ready[page];
  return <Shown />;
}
