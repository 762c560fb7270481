// The frame: who is here, where they are, what waits for them.

import { byId, h, put, say, show } from './dom.js';
import { enter, leave, listen, logIn, on, session, state } from './api.js';
import * as waiting from './waiting.js';
import * as now from './now.js';
import * as task from './task.js';
import * as modes from './modes.js';
import * as editor from './editor.js';
import * as enforcement from './enforcement.js';
import * as project from './project.js';
import * as usage from './usage.js';

const VIEWS = [
  ['now', 'Now', now],
  ['modes', 'Modes', modes],
  ['enforcement', 'Enforcement', enforcement],
  ['project', 'Project', project],
  ['usage', 'Usage', usage],
];
// Views without a place in the navigation, and the one they belong to.
const HIDDEN = { task: ['Task', task, 'now'], edit: ['Edit modes', editor, 'modes'] };

let leaveView = null;
let shown = '';

function place() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  const view = VIEWS.find(([key]) => key === name);
  if (view) return { name, title: view[1], view: view[2], below: name, rest };
  if (Object.hasOwn(HIDDEN, name)) return { name, title: HIDDEN[name][0], view: HIDDEN[name][1], below: HIDDEN[name][2], rest };
  return { name: 'now', title: 'Now', view: now, below: 'now', rest: [] };
}

function go() {
  if (!session.role) return;
  const { name, title, view, below, rest } = place();
  if (leaveView) leaveView();
  leaveView = null;
  show(byId('nav'), VIEWS.map(([key, label]) => h('a', {
    href: `#/${key}`,
    'aria-current': key === name ? 'page' : key === below ? 'true' : null,
  }, label)));
  const main = byId('main');
  show(main);
  main.dataset.view = name;
  document.title = titleOf(title);
  shown = title;
  leaveView = view.open(main, rest) || null;
  say(title);
}

function titleOf(title) {
  const n = state.approvals.length;
  return `${n ? `(${n}) ` : ''}${title} · Modekeeper`;
}

function theme() {
  const kept = localStorage.getItem('theme');
  if (kept) document.documentElement.dataset.theme = kept;
  else delete document.documentElement.dataset.theme;
}

function tools() {
  const dark = () => document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  const connection = h('span', { class: 'dot', role: 'img', 'aria-label': 'not connected' });
  const mark = () => {
    connection.className = state.connected ? 'dot on' : 'dot';
    connection.setAttribute('aria-label', state.connected ? 'live' : 'not connected');
    connection.title = state.connected ? 'Live: changes appear at once' : 'Not connected: trying again';
  };
  on(['connection'], mark);
  mark();
  show(byId('tools'),
    connection,
    h('span', { class: 'quiet who' }, session.role),
    h('button', {
      class: 'plain',
      'aria-label': 'Switch between dark and light',
      title: 'Dark or light',
      onclick: () => { localStorage.setItem('theme', dark() ? 'light' : 'dark'); theme(); },
    }, '◐'),
    h('button', { class: 'plain', onclick: () => leave(), title: 'End this session' }, 'Log out'));
}

function locked(message) {
  if (leaveView) leaveView();
  leaveView = null;
  document.title = 'Modekeeper';
  show(byId('nav'));
  show(byId('tools'));
  show(byId('waiting'));
  show(byId('main'), h('section', { class: 'panel lock' },
    h('h2', {}, 'This page needs a link'),
    message ? h('p', { class: 'problem' }, message) : null,
    h('p', {}, 'Run this in a terminal of your own; it prints a link that opens the dashboard once:'),
    h('pre', {}, h('code', {}, 'modekeeper dashboard')),
    h('p', { class: 'quiet' }, 'Agents run as the same user as you, so being on this machine is not enough to approve or steer.'),
    tokenForm()));
}

/** For those who have no terminal on the server's machine. */
function tokenForm() {
  const token = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await logIn(token.value.trim());
      location.reload();
    } catch (error) { put(problem, error.message); }
  };
  return h('form', { class: 'actions', onsubmit: submit },
    h('label', { for: 'token' }, 'Or use a token:'), token, h('button', {}, 'Log in'), problem);
}

async function start() {
  theme();
  let entered = false;
  let message = '';
  try { entered = await enter(); } catch (error) { message = error.message; }
  if (!entered) {
    locked(message);
    return;
  }
  tools();
  waiting.start(byId('waiting'));
  on(['approvals'], () => { document.title = titleOf(shown); });
  on(['session'], () => locked('The session has ended.'));
  addEventListener('hashchange', () => { go(); byId('main').focus({ preventScroll: true }); });
  go();
  await listen();
}

start();
