// The stream of decisions: as many rows as can be seen, however many decisions there are.

import { button, count, dialog, empty, h, hours, prose, put, rows, show, verdict, visible } from './dom.js';
import { get, older, state } from './api.js';

const BEYOND = 4;
const COLUMNS = ['time', 'verdict', 'tool', 'target', 'mode', 'agent', 'rule'];
const filters = { mode: '', verdict: '', client: '', text: '' };

function wanted(decision) {
  const { mode, verdict: word, client, text } = filters;
  if ((mode && decision.mode !== mode) || (word && decision.verdict !== word) || (client && decision.client !== client)) return false;
  if (!text) return true;
  decision.words ??= `${decision.tool} ${decision.target} ${decision.rule} ${decision.reason}`.toLowerCase();
  return decision.words.includes(text);
}

/** A list that follows `state.decisions`; `update` looks again, at most once in a frame. */
export function decisions(node) {
  const pane = h('div', { class: 'pane', role: 'rowgroup' });
  const body = h('div', { class: 'rows', role: 'presentation' }, pane);
  const view = h('div', { class: 'window', tabindex: '0', 'aria-label': 'Decisions, newest first', role: 'table', 'aria-colcount': String(COLUMNS.length) },
    h('div', { role: 'rowgroup', class: 'top' }, h('div', { class: 'row heads', role: 'row', 'aria-rowindex': '1' },
      COLUMNS.map((name) => h('span', { role: 'columnheader', class: `c-${name}` }, name)))),
    body);
  const total = h('span', { class: 'quiet total', role: 'status' });
  const none = h('p', { class: 'quiet none', hidden: true });
  const picks = ['mode', 'verdict', 'client'].map((key) => pick(key, update));
  const search = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search decisions', value: filters.text, oninput: () => { filters.text = search.value.toLowerCase(); update(); } });
  show(node, h('div', { class: 'filters' }, picks.map((it) => it.box), search, total), view, none);

  let found = [];
  let isLoading = false;
  // What is in the pane, from top to bottom.
  let shown = [];
  let tall = 30;

  /** Finds what is wanted again. Who has scrolled away from the newest keeps the rows they read. */
  function sift() {
    const held = view.scrollTop > tall ? found[Math.floor(view.scrollTop / tall)] : null;
    const before = held ? found.indexOf(held) : 0;
    found = state.decisions.filter(wanted);
    for (const it of picks) it.offer();
    view.setAttribute('aria-rowcount', String(found.length + 1));
    total.textContent = count(found.length, 'decision');
    none.hidden = found.length > 0;
    view.hidden = !found.length;
    none.textContent = state.decisions.length ? 'No decision matches the filters.' : 'No decisions yet. What agents do is decided and shown here.';
    body.style.height = `${found.length * tall}px`;
    const after = held ? found.indexOf(held) : 0;
    if (after > before) view.scrollTop += (after - before) * tall;
  }

  /** Rows that stay in sight stay as they are; those that leave it become those that enter. */
  function draw() {
    const first = Math.max(0, Math.floor(view.scrollTop / tall) - BEYOND);
    const last = Math.min(found.length, first + Math.ceil(view.clientHeight / tall) + 2 * BEYOND);
    const known = new Map(shown.map((it) => [it.id, it]));
    const next = [];
    for (let at = first; at < last; at += 1) next.push(known.get(found[at].id) || null);
    const kept = new Set(next);
    const spare = shown.filter((it) => !kept.has(it));
    if (spare.some((it) => it.node.contains(document.activeElement))) view.focus({ preventScroll: true });
    const unused = new Set(spare.map((it) => it.node));
    let cursor = pane.firstChild;
    for (let at = first; at < last; at += 1) {
      const row = next[at - first] || spare.pop() || makeRow();
      if (row.id !== found[at].id) row.fill(found[at]);
      row.move(at);
      while (cursor && unused.has(cursor)) cursor = cursor.nextSibling;
      if (row.node === cursor) cursor = cursor.nextSibling;
      else pane.insertBefore(row.node, cursor);
      unused.delete(row.node);
      next[at - first] = row;
    }
    for (const it of spare) it.node.remove();
    shown = next;
    pane.style.transform = `translateY(${first * tall}px)`;
    if (!isLoading && found.length - last < 40 && found.length) more();
  }

  function more() {
    isLoading = true;
    older().then((came) => { isLoading = !came; }, () => { isLoading = false; });
  }

  let frame = 0;
  let isStale = false;
  function later() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (isStale) { isStale = false; sift(); }
      draw();
    });
  }
  function update() { isStale = true; later(); }
  view.addEventListener('scroll', later, { passive: true });
  pane.addEventListener('pointerover', tellWhole, { passive: true });
  const watch = new ResizeObserver(() => {
    // How tall a row is depends on how wide the page is.
    const now = parseFloat(getComputedStyle(view).getPropertyValue('--row')) || 30;
    if (now !== tall) { tall = now; update(); } else later();
  });
  watch.observe(view);
  update();
  return { update, close: () => { watch.disconnect(); cancelAnimationFrame(frame); } };
}

/** A choice among what the decisions have. */
function pick(key, changed) {
  const label = key === 'client' ? 'agent' : key;
  const box = h('select', { 'aria-label': `Filter by ${label}`, id: `f-${key}`, onchange: () => { filters[key] = box.value; changed(); } });
  let offered = -1;
  const offer = () => {
    const all = new Set(state.known[key]);
    if (filters[key]) all.add(filters[key]);
    if (all.size === offered) return;
    offered = all.size;
    show(box, h('option', { value: '' }, `any ${label}`), [...all].sort().map((it) => h('option', { value: it }, it)));
    box.value = filters[key];
  };
  offer();
  return { box, offer };
}

/** One row, whose texts are replaced when it shows another decision. */
function makeRow() {
  const cells = COLUMNS.map((name) => h('span', { role: 'cell', class: `c-${name}` }));
  const [time, word, tool, target, mode, agent, rule] = cells;
  const at = h('time');
  const badge = verdict('');
  const open = button('', () => explain(row.id), { class: 'plain' });
  time.append(at);
  word.append(badge);
  tool.append(open);
  target.classList.add('path');
  const node = h('div', { class: 'row', role: 'row' }, cells);
  const row = { id: '', place: -1, node, fill, move };
  function fill(decision) {
    row.id = decision.id;
    if (badge.textContent !== decision.verdict) {
      node.className = `row v-${decision.verdict}`;
      badge.className = `badge v-${decision.verdict}`;
      put(badge, decision.verdict);
    }
    at.dateTime = decision.at;
    put(at, hours(decision.at));
    put(open, decision.tool);
    open.ariaLabel = visible(`Explain ${decision.tool}`);
    put(target, decision.target);
    put(mode, decision.mode);
    put(agent, decision.client);
    put(rule, decision.rule);
  }
  function move(index) {
    if (row.place === index) return;
    row.place = index;
    node.ariaRowIndex = String(index + 2);
  }
  return row;
}

/** A text that does not fit is told in full when the pointer is on it. */
function tellWhole({ target }) {
  const cell = target.closest?.('.pane .row > span');
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : '';
}

/** A decision in full, and what would change it. */
export async function explain(id) {
  const found = await get(`/api/decisions/${id}`);
  dialog('Decision',
    h('p', {}, verdict(found.verdict), ' ', prose(found.reason)),
    found.advice.length ? h('ul', {}, found.advice.map((it) => h('li', {}, prose(it)))) : null,
    rows([['Rule', found.rule], ['Mode', found.mode], ['Tool', found.tool], ['Target', found.target ? h('span', { class: 'path' }, found.target) : null],
      ['Agent', found.client], ['Project', found.project_root], ['When', new Date(found.at).toLocaleString()],
      ['Policy', h('code', {}, found.policy_hash)], ['ID', h('code', {}, found.id)]]),
    h('h3', {}, 'Input'),
    h('pre', { tabindex: '0' }, h('code', {}, pretty(found.input))),
    found.input_is_whole ? null : empty('The input was longer; the rest was not kept.'));
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
