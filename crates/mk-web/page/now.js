// What agents are at: tasks as a tree, and decisions as they are made.

import { ago, base, badge, empty, h, mode, panel, show, verdict } from './dom.js';
import { on, state } from './api.js';
import { decisions } from './stream.js';

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
  const branch = (task) => h('li', {}, taskLine(task, agents.has(task.conversation), children(task).length > 0), children(task).length ? h('ul', {}, children(task).map(branch)) : null);
  const agent = (it) => h('li', {}, agentLine(it),
    of(it).length || below(it).length ? h('ul', {}, of(it).map(branch), below(it).map(agent)) : null);
  const top = conversations.filter((it) => !it.parent || !agents.has(it.parent));
  const alone = roots.filter((task) => !task.conversation || !agents.has(task.conversation));
  return h('ul', { class: 'tree' }, top.map(agent), alone.map(branch));
}

// Below its agent a task need not name it, and what was done last was done in the innermost task.
function taskLine(task, isBelow, hasChildren) {
  return h('div', { class: 'line' },
    task.client && !isBelow ? badge('client', task.client) : null,
    h('a', { href: `#/task/${task.session_id}`, class: 'name' }, task.title || task.session_id),
    mode(task.mode),
    h('span', { class: 'quiet' }, base(task.project), ' · ', ago(task.created_at, '', ' old'), ' · ', ago(task.last_activity, 'active ')),
    hasChildren ? null : lastAction(task.last));
}

function lastAction(last) {
  return last ? h('div', { class: 'last' }, verdict(last.verdict), ' ', last.tool, ' ', h('span', { class: 'path' }, last.target)) : null;
}

function agentLine(agent) {
  return h('div', { class: 'line' },
    badge('client', agent.client), mode(agent.mode),
    h('span', { class: 'quiet' }, base(agent.project), ' · ', ago(agent.last_active, 'active ')),
    lastAction(agent.last));
}
