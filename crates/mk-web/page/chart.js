// Charts drawn on the page; each says in words what it shows.

import { h, s } from './dom.js';

const ORDER = ['allow', 'paused', 'unproven', 'ask', 'deny'];

/** Bars over time, stacked by verdict. `points`: [{at, counts: {verdict: n}}]. */
export function stacked(points, label) {
  const width = 960;
  const height = 140;
  const most = Math.max(1, ...points.map((point) => Object.values(point.counts).reduce((a, b) => a + b, 0)));
  const step = width / Math.max(1, points.length);
  const bars = [];
  points.forEach((point, at) => {
    let top = height;
    for (const word of ORDER) {
      const count = point.counts[word] || 0;
      if (!count) continue;
      const tall = Math.max(1.5, (count / most) * height);
      top -= tall;
      bars.push(s('rect', { class: `fill-${word}`, x: (at * step + 1).toFixed(1), y: top.toFixed(1), width: Math.max(1, step - 2).toFixed(1), height: tall.toFixed(1) },
        s('title', {}, `${new Date(point.at).toLocaleString()}: ${count} ${word}`)));
    }
  });
  return h('figure', {},
    h('div', { class: 'quiet scale' }, h('span', {}, `most at once: ${most}`)),
    s('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label, class: 'chart' }, bars),
    h('div', { class: 'quiet scale' }, h('span', {}, points.length ? new Date(points[0].at).toLocaleString() : ''), h('span', {}, 'now')),
    h('figcaption', {}, ORDER.map((word) => h('span', { class: `key fill-${word}` }, word))));
}

/** One bar for each name. `rows`: [[name, value, note]]. */
export function bars(rows, label) {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return h('ul', { class: 'bars', 'aria-label': label }, rows.map(([name, value, note]) => h('li', {},
    h('span', {}, name), h('meter', { min: '0', max: String(most), value, 'aria-label': `${name}: ${value}` }), h('span', { class: 'quiet' }, note || String(value)))));
}
