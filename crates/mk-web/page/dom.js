// Elements without markup: what agents write becomes text and nothing else.

const SVG = 'http://www.w3.org/2000/svg';

// What does not show itself, or turns a line around. Pictures are joined by a joiner, which may stay between them.
const HIDDEN = /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** The same text with hidden characters written out, as the command line does. */
export function visible(text) {
  return String(text).replace(HIDDEN, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);
}

const SPOKEN = new Set(['title', 'aria-label']);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') node[name] = value;
    // Links lead into this page or to this server; no other scheme gets through.
    else if (name === 'href' && !/^(#|\/(?!\/))/.test(value)) continue;
    else node.setAttribute(name, value === true ? '' : SPOKEN.has(name) ? visible(value) : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

export function show(node, ...children) {
  node.replaceChildren();
  add(node, children);
}

/** Replaces a node's text. */
export function put(node, text) {
  node.textContent = visible(text);
}

/** A sentence with `names` in it, set as code. */
export function prose(text) {
  return String(text).split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h('code', {}, part) : part));
}

const NUMBERS = new Intl.NumberFormat('en');

export function number(n) {
  return NUMBERS.format(n);
}

/** `1 file`, `2,300 files`. */
export function count(n, noun, many = `${noun}s`) {
  return `${number(n)} ${n === 1 ? noun : many}`;
}

export function byId(id) {
  return document.getElementById(id);
}

/** `3 s`, `12 min`, `4 h`, `2 d`. */
export function span(seconds) {
  const n = Math.max(0, Math.floor(seconds));
  if (n < 60) return `${n} s`;
  if (n < 3600) return `${Math.floor(n / 60)} min`;
  if (n < 86400) return `${Math.floor(n / 3600)} h`;
  return `${Math.floor(n / 86400)} d`;
}

export function since(time) {
  return span((Date.now() - new Date(time).getTime()) / 1000);
}

/** A time that stays right as long as it is shown. */
export function ago(time, before = '', after = ' ago') {
  const node = h('time', { datetime: time, title: new Date(time).toLocaleString(), 'data-ago': time });
  node.dataset.before = before;
  node.dataset.after = after;
  node.textContent = before + since(time) + after;
  return node;
}

// Made once: a format costs more than what it formats.
const HOURS = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** `14:03:59`. */
export function hours(time) {
  return HOURS.format(new Date(time));
}

export function clock(time) {
  return h('time', { datetime: time, title: time }, hours(time));
}

setInterval(() => {
  for (const node of document.querySelectorAll('[data-ago]')) {
    const text = node.dataset.before + since(node.dataset.ago) + node.dataset.after;
    if (node.textContent !== text) node.textContent = text;
  }
}, 1000);

export function badge(kind, text) {
  return h('span', { class: `badge ${kind}` }, text);
}

export function mode(slug) {
  return slug ? h('span', { class: 'mode' }, slug) : h('span', { class: 'quiet' }, 'no mode');
}

export function verdict(word) {
  return badge(`v-${word}`, word);
}

export function say(text) {
  const live = byId('live');
  live.textContent = '';
  // A reader announces what changes.
  requestAnimationFrame(() => put(live, text));
}

/** A part of a view with its heading. */
export function panel(title, ...children) {
  const id = `p-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return h('section', { class: 'panel', 'aria-labelledby': id }, h('h2', { id }, title), children);
}

export function empty(text) {
  return h('p', { class: 'quiet' }, text);
}

export function table(heads, rows, caption) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, heads.map((head) => (head ? h('th', { scope: 'col' }, head) : h('td', {}))))),
      h('tbody', {}, rows)));
}

/** Lines of a plan that are shown at once; a person sees the rest when they ask for it. */
const LINES = 400;
/** Characters of a line that are shown at once: a page in one line would take seconds to break. */
const LONGEST_LINE = 2000;

/** Text of a plan or a diff, line by line, so that what is added and removed can be told. */
export function diff(text) {
  const all = text.replace(/\n$/, '').split('\n');
  const code = h('code', {});
  const more = button('', () => reveal(), { class: 'more' });
  const node = h('div', { class: 'plan' }, h('pre', { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Plan' }, code), more);
  let shown = 0;
  function reveal() {
    // The first page is short, later ones are what was asked for.
    const next = all.slice(shown, shown + (shown ? 5000 : LINES));
    shown += next.length;
    code.append(...next.map(diffLine));
    const left = all.length - shown;
    more.hidden = !left;
    put(more, `Show more: ${count(left, 'line')} not shown yet`);
  }
  reveal();
  return node;
}

function diffLine(line) {
  const kind = line.startsWith('+') ? 'plus' : line.startsWith('-') || line.startsWith('−') ? 'minus'
    : line.startsWith('@@') ? 'hunk' : '';
  const rest = line.length - LONGEST_LINE;
  if (rest <= 0) return h('span', { class: kind }, line);
  const node = h('span', { class: kind }, line.slice(0, LONGEST_LINE),
    button(`Show ${count(rest, 'more character')}`, () => show(node, line), { class: 'plain' }));
  return node;
}

export function dialog(title, ...children) {
  const close = () => node.close();
  const node = h('dialog', { 'aria-label': title, onclose: () => node.remove() },
    h('header', {}, h('h2', {}, title), h('button', { class: 'plain', onclick: close, 'aria-label': 'Close' }, '✕')),
    h('div', { class: 'body' }, children));
  document.body.append(node);
  node.showModal();
  return node;
}

export function rows(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export function base(path) {
  return path ? path.split('/').filter(Boolean).pop() || path : '';
}

/** Runs what a button does, once at a time, and says what went wrong. */
export function button(label, act, props) {
  const node = h('button', {
    type: 'button',
    ...props,
    onclick: async () => {
      node.disabled = true;
      try { await act(); } catch (error) { problem(error.message); } finally { node.disabled = false; }
    },
  }, label);
  return node;
}

export function problem(message) {
  const node = h('div', { class: 'toast', role: 'alert' }, h('span', {}, prose(message)),
    h('button', { class: 'plain', 'aria-label': 'Dismiss', onclick: () => node.remove() }, '✕'));
  // A dialog is above everything else on the page.
  (document.querySelector('dialog[open]') || document.body).append(node);
  setTimeout(() => node.remove(), 12000);
}
