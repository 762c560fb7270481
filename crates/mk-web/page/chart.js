// Charts drawn on the page; each says in words what it shows.

import { count as counted, h, number, s } from './dom.js';

const ORDER = ['allow', 'paused', 'unproven', 'ask', 'deny'];

/** Bars over time, stacked by verdict. `points`: [{at, counts: {verdict: n}}], each for `span`. */
export function stacked(points, span, label) {
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
        s('title', {}, `${new Date(point.at).toLocaleString()}: ${number(count)} ${word}`)));
    }
  });
  return h('figure', {},
    h('div', { class: 'quiet scale' }, h('span', {}, `Highest bar: ${counted(most, 'decision')} in ${span}`)),
    s('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label, class: 'chart' }, bars),
    h('div', { class: 'quiet scale' }, h('span', {}, points.length ? new Date(points[0].at).toLocaleString() : ''), h('span', {}, 'now')),
    h('figcaption', {}, ORDER.map((word) => h('span', { class: `key fill-${word}` }, word))));
}

/** One bar for each name. `rows`: [[name, value, note]]. */
export function bars(rows, label) {
  const most = Math.max(...rows.map(([, value]) => value)) || 1;
  return h('ul', { class: 'bars', 'aria-label': label }, rows.map(([name, value, note]) => h('li', {},
    h('span', {}, name), h('meter', { min: '0', max: String(most), value, 'aria-label': `${name}: ${value}` }), h('span', { class: 'quiet' }, note || number(value)))));
}

/** One bar in parts. `parts`: [[name, count, class]]. */
export function share(parts, label) {
  const whole = parts.reduce((sum, [, n]) => sum + n, 0) || 1;
  let from = 0;
  const bars = parts.filter(([, n]) => n).map(([name, n, kind]) => {
    const wide = (n / whole) * 960;
    const bar = s('rect', { class: `fill-${kind}`, x: from.toFixed(1), y: 0, width: Math.max(1, wide - 2).toFixed(1), height: 14 }, s('title', {}, `${name}: ${number(n)}`));
    from += wide;
    return bar;
  });
  return h('figure', {},
    s('svg', { viewBox: '0 0 960 14', preserveAspectRatio: 'none', role: 'img', 'aria-label': label, class: 'share' }, bars),
    h('figcaption', {}, parts.map(([name, n, kind]) => h('span', { class: `key fill-${kind}` }, `${name} ${number(n)}`))));
}
