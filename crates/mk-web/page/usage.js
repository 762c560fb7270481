// Figures: calls, latency, denials over time, how people answer; the log; files to keep.

import { empty, h, panel, show, span, table } from './dom.js';
import { bars, stacked } from './chart.js';
import { get } from './api.js';

const SPANS = [['3600', 'last hour'], ['86400', 'last day'], ['604800', 'last week'], ['2592000', 'last 30 days']];
let chosen = '86400';

export function open(main) {
  let gone = false;
  const body = h('div', { class: 'stack' });
  const select = h('select', { 'aria-label': 'Time span', onchange: () => { chosen = select.value; draw(); } }, SPANS.map(([value, label]) => h('option', { value }, label)));
  select.value = chosen;
  show(main, h('div', { class: 'filters' }, select,
    h('a', { href: '/api/decisions?limit=10000&format=csv', download: true }, 'Decisions as CSV'), h('a', { href: '/api/decisions?limit=10000&format=json', download: true }, 'as JSON'),
    h('a', { href: '/api/usage?format=csv', download: true }, 'Usage as CSV'), h('a', { href: '/api/usage?format=json', download: true }, 'as JSON')), body);
  const draw = () => Promise.all([get(`/api/usage?since=${chosen}`), get('/api/logs')]).then(([usage, logs]) => { if (!gone) show(body, view(usage, logs)); },
    (error) => show(body, h('p', { class: 'problem' }, error.message)));
  draw();
  return () => { gone = true; };
}

function view(usage, logs) {
  const points = series(usage);
  const denied = new Map();
  let total = 0;
  for (const it of usage.decisions) {
    total += it.count;
    if (it.verdict === 'deny') denied.set(it.tool, (denied.get(it.tool) || 0) + it.count);
  }
  const { approvals } = usage;
  const tools = [...usage.tools].sort((a, b) => b.calls - a.calls);
  return [
    panel('Decisions over time', total ? stacked(points, `${total} decisions over time by verdict`) : empty('No decisions in this time.')),
    h('div', { class: 'split' },
      panel('Calls per tool', tools.length ? [bars(tools.slice(0, 15).map((it) => [it.tool, it.calls]), 'Calls per tool'),
        h('details', {}, h('summary', {}, 'Latency'), table(['Tool', 'Calls', 'Refused', 'Failed', 'Mean', 'p50', 'p95'], tools.map((it) => h('tr', {}, h('th', { scope: 'row' }, it.tool), h('td', {}, it.calls), h('td', {}, it.refused), h('td', {}, it.failed), h('td', {}, time(it.mean_us)), h('td', {}, `≤ ${time(it.p50_us)}`), h('td', {}, `≤ ${time(it.p95_us)}`))), 'Latency of tools'))]
        : empty('No tool was called since this server began.')),
      panel('Denials per tool', denied.size ? bars([...denied].sort((a, b) => b[1] - a[1]).slice(0, 15), 'Denials per tool') : empty('Nothing was denied.'))),
    panel('Approvals', h('div', { class: 'figures' },
      figure('asked', approvals.asked), figure('approved', approvals.granted), figure('denied', approvals.denied), figure('expired', approvals.expired),
      figure('approval rate', approvals.rate === null ? '–' : `${Math.round(approvals.rate * 100)} %`),
      figure('median time to decide', approvals.median_wait_ms === null ? '–' : span(approvals.median_wait_ms / 1000)))),
    panel('Log', logs.lines.length ? h('pre', { class: 'log', tabindex: '0' }, h('code', {}, logs.lines.join(''))) : empty('Nothing was logged.')),
  ];
}

function series(usage) {
  const step = usage.stretch_seconds * 1000;
  const first = Math.floor(new Date(usage.since).getTime() / step) * step;
  const points = [];
  for (let at = first; at <= Date.now(); at += step) points.push({ at, counts: {} });
  for (const it of usage.decisions) {
    const point = points[Math.round((new Date(it.at).getTime() - first) / step)];
    if (point) point.counts[it.verdict] = (point.counts[it.verdict] || 0) + it.count;
  }
  return points;
}

function figure(name, value) {
  return h('div', { class: 'figure' }, h('strong', {}, value), h('span', {}, name));
}

function time(micros) {
  if (micros === null || micros === undefined) return '–';
  return micros < 1000 ? `${micros} µs` : micros < 1e6 ? `${(micros / 1000).toFixed(1)} ms` : `${(micros / 1e6).toFixed(1)} s`;
}
