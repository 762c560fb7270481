// What agents are at: tasks as a tree, and decisions as they are made.

import { ago, base, badge, clock, dialog, empty, h, mode, panel, rows, show, verdict } from './dom.js';
import { get, older, on, state } from './api.js';

const ROW = 30;
const filters = { mode: '', verdict: '', client: '', text: '' };

export function open(main) {
  const tree = h('div', { id: 'tree' });
  const stream = h('div', { id: 'stream' });
  show(main, h('div', { class: 'split' }, panel('Agents and tasks', tree), panel('Decisions', stream)));
  const drawTree = () => show(tree, forest());
  const list = decisions(stream);
  const ends = [on(['tasks'], drawTree), on(['decisions'], list.update)];
  drawTree();
  return () => { for (const end of ends) end(); list.close(); };
}

function forest() {
  const { tasks, conversations } = state;
  if (!tasks.length && !conversations.length) {
    return empty('No agent is at work. Tasks and conversations appear here as they begin.');
  }
  const ids = new Set(tasks.map((task) => task.task_id));
  const agents = new Set(conversations.map((agent) => agent.id));
  const children = (task) => tasks.filter((other) => other.parent === task.task_id);
  const roots = tasks.filter((task) => !task.parent || !ids.has(task.parent));
  const of = (agent) => roots.filter((task) => task.conversation === agent.id);
  const below = (agent) => conversations.filter((other) => other.parent === agent.id);
  const branch = (task) => h('li', {}, taskLine(task), children(task).length ? h('ul', {}, children(task).map(branch)) : null);
  const agent = (it) => h('li', {}, agentLine(it),
    of(it).length || below(it).length ? h('ul', {}, of(it).map(branch), below(it).map(agent)) : null);
  const top = conversations.filter((it) => !it.parent || !agents.has(it.parent));
  const alone = roots.filter((task) => !task.conversation || !agents.has(task.conversation));
  return h('ul', { class: 'tree' }, top.map(agent), alone.map(branch));
}

function taskLine(task) {
  return h('div', { class: 'line' },
    h('a', { href: `#/task/${task.session_id}`, class: 'name' }, task.title || task.session_id),
    mode(task.mode),
    h('span', { class: 'quiet' }, base(task.project), ' · ', ago(task.created_at, '', ' old'), ' · ', ago(task.last_activity, 'active ')));
}

function agentLine(agent) {
  return h('div', { class: 'line' },
    badge('client', agent.client), mode(agent.mode),
    h('span', { class: 'quiet' }, base(agent.project), ' · ', ago(agent.last_active, 'active ')),
    agent.last ? h('div', { class: 'last' }, verdict(agent.last.verdict), ' ', agent.last.tool, ' ', h('span', { class: 'path' }, agent.last.target)) : null);
}

function wanted(decision) {
  const { mode: slug, verdict: word, client, text } = filters;
  return (!slug || decision.mode === slug) && (!word || decision.verdict === word)
    && (!client || decision.client === client)
    && (!text || `${decision.tool} ${decision.target} ${decision.rule} ${decision.reason}`.toLowerCase().includes(text));
}

/** Only the rows that can be seen are there, so ten thousand scroll like ten. */
function decisions(node) {
  const body = h('div', { class: 'rows', role: 'rowgroup' });
  const view = h('div', { class: 'window', tabindex: '0', 'aria-label': 'Decisions, newest first', role: 'table' },
    h('div', { role: 'rowgroup' }, h('div', { class: 'row heads', role: 'row' },
      ['time', 'verdict', 'tool', 'target', 'mode', 'agent', 'rule'].map((name) => h('span', { role: 'columnheader', class: `c-${name}` }, name)))),
    body);
  const count = h('span', { class: 'quiet', role: 'status' });
  const selects = {};
  const select = (key, label, values) => {
    const box = h('select', { 'aria-label': `Filter by ${label}`, id: `f-${key}`, onchange: () => { filters[key] = box.value; update(); } });
    selects[key] = { box, values, label };
    return box;
  };
  show(node, h('div', { class: 'filters' },
    select('mode', 'mode', (it) => it.mode), select('verdict', 'verdict', (it) => it.verdict), select('client', 'agent', (it) => it.client),
    h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search decisions', value: filters.text, oninput: (event) => { filters.text = event.target.value.toLowerCase(); update(); } }),
    count), view, h('p', { class: 'quiet none', hidden: true }, 'No decisions yet. What agents do is decided and shown here.'));
  let found = [];
  let loading = false;
  const draw = () => {
    const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 10);
    const last = Math.min(found.length, first + Math.ceil(view.clientHeight / ROW) + 20);
    body.style.height = `${found.length * ROW}px`;
    const lines = [];
    for (let at = first; at < last; at += 1) lines.push(row(found[at], at));
    show(body, lines);
    if (!loading && last > found.length - 40 && found.length) {
      loading = true;
      older().then((more) => { loading = !more; }, () => { loading = false; });
    }
  };
  let frame = 0;
  const later = () => { if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(); }); };
  function update() {
    for (const [key, { box, values, label }] of Object.entries(selects)) {
      const all = [...new Set(state.decisions.map(values))].sort();
      if (filters[key] && !all.includes(filters[key])) all.push(filters[key]);
      if (box.options.length !== all.length + 1) {
        show(box, h('option', { value: '' }, `any ${label}`), all.map((it) => h('option', { value: it }, it)));
        box.value = filters[key];
      }
    }
    found = state.decisions.filter(wanted);
    view.setAttribute('aria-rowcount', String(found.length + 1));
    count.textContent = found.length === 1 ? '1 decision' : `${found.length} decisions`;
    node.querySelector('.none').hidden = state.decisions.length > 0;
    later();
  }
  view.addEventListener('scroll', later, { passive: true });
  const watch = new ResizeObserver(later);
  watch.observe(view);
  update();
  return { update, close: () => watch.disconnect() };
}

function row(decision, at) {
  const node = h('div', { class: `row v-${decision.verdict}`, role: 'row', 'aria-rowindex': String(at + 2) },
    h('span', { role: 'cell', class: 'c-time' }, clock(decision.at)),
    h('span', { role: 'cell', class: 'c-verdict' }, verdict(decision.verdict)),
    h('span', { role: 'cell', class: 'c-tool' }, h('button', { class: 'plain', onclick: () => explain(decision.id), 'aria-label': `Explain ${decision.tool}` }, decision.tool)),
    h('span', { role: 'cell', class: 'c-target path', title: decision.target }, decision.target),
    h('span', { role: 'cell', class: 'c-mode' }, decision.mode),
    h('span', { role: 'cell', class: 'c-agent' }, decision.client),
    h('span', { role: 'cell', class: 'c-rule' }, decision.rule));
  node.style.top = `${at * ROW}px`;
  return node;
}

/** A decision in full, and what would change it. */
export async function explain(id) {
  const found = await get(`/api/decisions/${id}`);
  dialog('Decision',
    h('p', {}, verdict(found.verdict), ' ', found.reason),
    found.advice.length ? h('ul', {}, found.advice.map((it) => h('li', {}, it))) : null,
    rows([['Rule', found.rule], ['Mode', found.mode], ['Tool', found.tool], ['Target', h('span', { class: 'path' }, found.target)],
      ['Agent', found.client], ['Project', found.project_root], ['When', new Date(found.at).toLocaleString()],
      ['Policy', h('code', {}, found.policy_hash)], ['ID', h('code', {}, found.id)]]),
    h('h3', {}, 'Input'),
    h('pre', { tabindex: '0' }, h('code', {}, pretty(found.input))),
    found.input_is_whole ? null : empty('The input was longer; the rest was not kept.'));
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
