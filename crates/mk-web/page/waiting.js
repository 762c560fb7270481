// What waits for a person: first, and on every view.

import { ago, badge, base, button, diff, h, say, show } from './dom.js';
import { may, on, post, state } from './api.js';

let known = new Set();
let begun = false;

export function start(node) {
  const render = () => {
    const waiting = state.approvals;
    announce(waiting);
    node.classList.toggle('some', waiting.length > 0);
    // Cards that are there stay as they are: a person may be reading, or about to click.
    const cards = new Map([...node.querySelectorAll('[data-id]')].map((card) => [card.dataset.id, card]));
    const wanted = waiting.map((request) => cards.get(request.id) || card(request));
    show(node, head(waiting), wanted);
  };
  on(['approvals'], render);
  render();
}

function head(waiting) {
  const n = waiting.length;
  return h('div', { class: 'head' },
    h('h2', {}, n ? `Waiting for you: ${n}` : 'Nothing waits for you'),
    'Notification' in window && Notification.permission === 'default'
      ? h('button', { class: 'plain', onclick: () => Notification.requestPermission().then(() => show(document.createElement('i'))) }, 'Notify me')
      : null);
}

function announce(waiting) {
  const fresh = waiting.filter((request) => !known.has(request.id));
  known = new Set(waiting.map((request) => request.id));
  if (fresh.length) say(`${waiting.length} approval ${waiting.length === 1 ? 'request waits' : 'requests wait'}: ${fresh[0].subject}`);
  if (begun && fresh.length && 'Notification' in window && Notification.permission === 'granted' && document.hidden) {
    const note = new Notification('Modekeeper: approval needed', { body: fresh[0].subject.slice(0, 200), tag: fresh[0].id });
    note.onclick = () => { window.focus(); note.close(); };
  }
  begun = true;
}

function card(request) {
  const decide = async (verdict) => {
    await post(`/api/approvals/${request.id}`, { verdict });
    state.approvals = state.approvals.filter((other) => other.id !== request.id);
    node.remove();
    say(verdict === 'approve' ? 'Approved' : 'Denied');
  };
  const node = h('article', { class: 'card', 'data-id': request.id, 'aria-label': request.subject },
    h('p', { class: 'subject' }, request.subject),
    h('p', { class: 'meta' },
      request.client ? badge('client', request.client) : null,
      request.project ? h('span', { title: request.project }, base(request.project)) : null,
      request.session_id ? h('a', { href: `#/task/${request.session_id}` }, 'task') : null,
      ago(request.created_at, 'waits for ', ''),
      h('code', { class: 'quiet' }, request.id)),
    request.plan ? diff(request.plan) : null,
    may() ? h('div', { class: 'actions' },
      button('Approve', () => decide('approve'), { class: 'primary' }),
      button('Deny', () => decide('deny'), { class: 'danger' }))
      : h('p', { class: 'quiet' }, 'A viewer cannot answer.'));
  return node;
}
