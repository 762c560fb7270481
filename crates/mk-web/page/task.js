// One task: what was said and done in it, and a person's hand on it.

import { ago, badge, base, button, clock, empty, h, mode, panel, rows, show, table, verdict } from './dom.js';
import { get, may, on, post, state } from './api.js';
import { explain } from './stream.js';

export function open(main, [id]) {
  let modes = [];
  let gone = false;
  let last = '';
  // What was chosen and typed outlives a redraw.
  const chosen = { mode: '', reason: '' };
  const isTyping = () => main.contains(document.activeElement?.closest?.('form') ?? null);
  const draw = async () => {
    try {
      const [task, known] = await Promise.all([get(`/api/tasks/${encodeURIComponent(id)}`), modes.length ? null : get('/api/modes')]);
      if (known) modes = known.modes.map((it) => it.slug);
      if (gone) return;
      // The form may have been entered while this was fetched; the next change draws.
      if (isTyping()) last = '';
      else show(main, view(task, modes, chosen, draw));
    } catch (error) {
      if (!gone) show(main, panel('Task', h('p', { class: 'problem' }, error.message), h('a', { href: '#/now' }, 'Back to Now')));
    }
  };
  const end = on(['tasks', 'decisions'], () => {
    const mine = JSON.stringify(state.tasks.find((task) => task.session_id === id) || null) + state.decisions.length;
    // A person may be typing a reason.
    if (mine !== last && !isTyping()) { last = mine; draw(); }
  });
  draw();
  return () => { gone = true; end(); };
}

function view(task, modes, chosen, again) {
  const title = (task.messages[0]?.content || task.session_id).split('\n')[0];
  return [
    h('section', { class: 'panel', 'aria-label': 'Task' },
      h('h2', { class: 'title' }, title, ' ', badge(`s-${task.state}`, task.expired ? 'expired' : task.state)),
      rows([['Mode', mode(task.mode)], ['Project', h('span', { title: task.project }, base(task.project))],
        ['Agent', task.client], ['Started', ago(task.created_at)], ['Last activity', ago(task.last_activity)],
        ['Parent', task.parent ? kin(task.parent) : null],
        ['Children', task.children.length ? task.children.map((child) => [kin(child), ' ']) : null],
        ['Session', h('code', {}, task.session_id)],
        ['Result', task.result]]),
      task.state === 'active' && !task.expired && may() ? steer(task, modes, chosen, again) : null),
    panel('Messages', task.messages.length ? h('ol', { class: 'messages' }, task.messages.map((message) => h('li', { class: message.role },
      h('div', { class: 'meta' }, badge('role', message.role), ago(message.at)), h('p', { class: 'text' }, message.content)))) : empty('No messages.')),
    panel('Mode history', h('ol', { class: 'history' }, task.mode_changes.map((change) => h('li', {},
      change.from ? [mode(change.from), ' → '] : null, mode(change.to), ' ', ago(change.at), change.reason ? h('span', { class: 'quiet' }, ` · ${change.reason}`) : null)))),
    panel('Calls and denials', task.decisions.length ? table(['Time', 'Verdict', 'Tool', 'Target', 'Rule'], task.decisions.map((it) => h('tr', {},
      h('td', {}, clock(it.at)), h('td', {}, verdict(it.verdict)),
      h('td', {}, button(it.tool, () => explain(it.id), { class: 'plain', 'aria-label': `Explain ${it.tool}` })),
      h('td', { class: 'path' }, it.target), h('td', {}, it.rule))), 'Calls of this task') : empty('No calls yet.')),
    panel('Undo', task.backups.length ? table(['When', 'Tool', 'Files', ''], task.backups.map((backup) => h('tr', {},
      h('td', {}, ago(backup.at)), h('td', {}, backup.tool), h('td', { class: 'path' }, backup.files.map((file) => file.path).join(', ')),
      h('td', { class: 'act' }, may() ? undo(backup, task, again) : null))), 'Changes that can be undone') : empty('Nothing has been changed in this project since the task started.')),
  ];
}

/** A parent or child: relations have tasks' ids, and views those of sessions. */
function kin(id) {
  const found = state.tasks.find((it) => it.task_id === id);
  return found ? h('a', { href: `#/task/${found.session_id}` }, found.title || id) : h('code', {}, id);
}

function steer(task, modes, chosen, again) {
  const to = h('select', { 'aria-label': 'New mode', name: 'mode', onchange: () => { chosen.mode = to.value; } }, modes.map((slug) => h('option', { value: slug }, slug)));
  to.value = chosen.mode || task.mode;
  const reason = h('input', { type: 'text', name: 'reason', placeholder: 'Why (optional)', 'aria-label': 'Reason', value: chosen.reason, oninput: () => { chosen.reason = reason.value; } });
  const act = (path, body) => async () => { await post(`/api/tasks/${task.session_id}/${path}`, body()); Object.assign(chosen, { mode: '', reason: '' }); document.activeElement?.blur(); await again(); };
  return h('form', { class: 'actions', onsubmit: (event) => event.preventDefault() },
    to, reason,
    button('Switch mode', act('switch', () => ({ mode: to.value, reason: reason.value || undefined }))),
    h('span', { class: 'gap' }),
    button('Complete', act('finish', () => ({ state: 'completed' }))),
    button('Cancel task', act('finish', () => ({ state: 'cancelled', result: 'Cancelled at the dashboard' })), { class: 'danger' }));
}

function undo(backup, task, again) {
  const path = `/api/backups/${encodeURIComponent(backup.id)}/restore?project=${encodeURIComponent(task.project)}`;
  return button('Undo', async () => {
    try {
      await post(path, {});
    } catch (error) {
      if (error.status !== 409 || !confirm(`${error.message}\n\nPut them back anyway?`)) throw error;
      await post(path, { force: true });
    }
    await again();
  });
}
