// Figures: calls, latency, denials over time, how people answer; the log; files to keep.

import { button, count, empty, h, number, panel, show, span, table } from './dom.js';
import { bars, share, stacked } from './chart.js';
import { download, get } from './api.js';

const SPANS = [['3600', 'last hour'], ['86400', 'last day'], ['604800', 'last week'], ['2592000', 'last 30 days']];
let chosen = '86400';

export function open(main) {
  let gone = false;
  const body = h('div', { class: 'stack' });
  const select = h('select', { 'aria-label': 'Time span', onchange: () => { chosen = select.value; draw(); } }, SPANS.map(([value, label]) => h('option', { value }, label)));
  select.value = chosen;
  const files = h('span', { class: 'actions' });
  show(main, h('div', { class: 'filters' }, select, files), body);
  const file = (path, label) => button(label, () => download(`${path}&since=${chosen}`, `${path.match(/\w+(?=\?)/)[0]}.${path.match(/\w+$/)[0]}`), { class: 'plain' });
  const offer = () => show(files,
    file('/api/decisions?limit=10000&format=csv', 'Decisions as CSV'), file('/api/decisions?limit=10000&format=json', 'Decisions as JSON'),
    file('/api/usage?format=csv', 'Usage as CSV'), file('/api/usage?format=json', 'Usage as JSON'));
  const draw = () => {
    offer();
    Promise.all([get(`/api/usage?since=${chosen}`), get('/api/logs')]).then(([usage, logs]) => { if (!gone) show(body, view(usage, logs)); },
      (error) => show(body, h('p', { class: 'problem' }, error.message)));
  };
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
  const tools = [...usage.tools].sort((a, b) => b.calls - a.calls);
  return [
    panel('Decisions over time', total ? stacked(points, span(usage.stretch_seconds), `${count(total, 'decision')} over time by verdict`) : empty('No decisions in this time.')),
    h('div', { class: 'split' },
      panel('Calls per tool', tools.length ? bars(tools.slice(0, 15).map((it) => [it.tool, it.calls]), 'Calls per tool') : empty('No tool has been called since this server started.')),
      panel('Denials per tool', denied.size ? bars([...denied].sort((a, b) => b[1] - a[1]).slice(0, 15), 'Denials per tool') : empty('Nothing was denied.'))),
    h('div', { class: 'split' },
      panel('Latency', tools.length ? latency(tools) : empty('No tool has been called since this server started.')),
      panel('Approvals', asked(usage.approvals))),
    panel('Log', logs.lines.length ? h('pre', { class: 'log', tabindex: '0', role: 'region', 'aria-label': 'Log' }, h('code', {}, logs.lines.join(''))) : empty('Nothing was logged.')),
  ];
}

/** The slowest first: what 95 of 100 calls stay below. */
function latency(tools) {
  const slow = [...tools].sort((a, b) => b.p95_us - a.p95_us).slice(0, 15);
  return [
    bars(slow.map((it) => [it.tool, it.p95_us, `≤ ${time(it.p95_us)}`]), '95th percentile of the latency of each tool'),
    h('p', { class: 'quiet note' }, '95th percentile since this server started.'),
    h('details', {}, h('summary', {}, 'All figures'), table(['Tool', 'Calls', 'Refused', 'Failed', 'Mean', 'p50', 'p95'], tools.map((it) => h('tr', {},
      h('th', { scope: 'row' }, it.tool), [it.calls, it.refused, it.failed].map((n) => h('td', {}, number(n))),
      h('td', {}, time(it.mean_us)), h('td', {}, `≤ ${time(it.p50_us)}`), h('td', {}, `≤ ${time(it.p95_us)}`))), 'Latency of tools')),
  ];
}

// How long people took, in steps that mean something to them.
const WAITS = [[10, 'under 10 s'], [60, 'under 1 min'], [300, 'under 5 min'], [1800, 'under 30 min'], [Infinity, 'longer']];

function asked(approvals) {
  if (!approvals.asked) return empty('Nothing was asked in this time.');
  const open = approvals.asked - approvals.granted - approvals.denied - approvals.expired;
  const waits = WAITS.map(([end, label], at) => {
    const from = at ? WAITS[at - 1][0] : 0;
    return [label, approvals.waits_ms.filter((ms) => ms >= from * 1000 && ms < end * 1000).length];
  });
  return [
    h('div', { class: 'figures' },
      figure('asked', number(approvals.asked)),
      figure('approval rate', approvals.rate === null ? '–' : `${Math.round(approvals.rate * 100)} %`),
      figure('median time to decide', approvals.median_wait_ms === null ? '–' : span(approvals.median_wait_ms / 1000))),
    share([['approved', approvals.granted, 'allow'], ['denied', approvals.denied, 'deny'], ['expired', approvals.expired, 'paused'], ['open', Math.max(0, open), 'ask']], 'What became of approval requests'),
    h('h3', {}, 'Time to decide'),
    approvals.waits_ms.length ? bars(waits, 'Time to decide') : empty('No request has been decided yet.'),
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

const short = (n) => (n < 10 ? n.toFixed(1) : Math.round(n));

function time(micros) {
  if (micros === null || micros === undefined) return '–';
  return micros < 1000 ? `${micros} µs` : micros < 1e6 ? `${short(micros / 1000)} ms` : `${short(micros / 1e6)} s`;
}
