// What waits for a person: first, and on every view.

import { ago, badge, base, button, count, diff, h, prose, say, show, visible } from './dom.js';
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
    show(node, head(waiting, render), wanted);
  };
  on(['approvals'], render);
  render();
}

function head(waiting, render) {
  const n = waiting.length;
  return h('div', { class: 'head' },
    h('h2', {}, n ? `Waiting for you: ${n}` : 'Nothing waits for you'),
    notifier(render));
}

const wantsNotes = () => 'Notification' in window && Notification.permission === 'granted' && localStorage.getItem('notify') !== 'off';

/** Asks the browser once; after that, notes are turned on and off here. */
function notifier(render) {
  if (!('Notification' in window) || Notification.permission === 'denied') return null;
  const isOn = wantsNotes();
  const toggle = async () => {
    if (Notification.permission === 'default') await Notification.requestPermission();
    localStorage.setItem('notify', isOn ? 'off' : 'on');
    render();
  };
  return h('button', { class: 'plain', 'aria-pressed': String(isOn), title: 'Show a desktop notification for each new request while this page is in the background', onclick: toggle }, isOn ? 'Notifications on' : 'Notify me');
}

function announce(waiting) {
  const fresh = waiting.filter((request) => !known.has(request.id));
  known = new Set(waiting.map((request) => request.id));
  if (fresh.length) say(`${count(waiting.length, 'approval request waits', 'approval requests wait')}: ${fresh[0].subject}`);
  if (begun && fresh.length && wantsNotes() && !document.hasFocus()) {
    const note = new Notification('Modekeeper: approval needed', { body: visible(fresh[0].subject).slice(0, 200), tag: fresh[0].id });
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
    h('p', { class: 'subject' }, prose(request.subject)),
    h('p', { class: 'meta' },
      request.client ? badge('client', request.client) : null,
      request.project ? h('span', { title: request.project }, base(request.project)) : null,
      request.session_id ? h('a', { href: `#/task/${request.session_id}` }, 'task') : null,
      ago(request.created_at, 'waiting for ', ''),
      h('code', { class: 'quiet' }, request.id)),
    request.plan ? diff(request.plan) : null,
    may() ? h('div', { class: 'actions' },
      button('Approve', () => decide('approve'), { class: 'primary' }),
      button('Deny', () => decide('deny'), { class: 'danger' }))
      : h('p', { class: 'quiet' }, 'Your role, viewer, cannot approve or deny.'));
  return node;
}
