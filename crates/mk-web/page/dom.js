// Elements without markup: what agents write becomes text and nothing else.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') node[name] = value;
    // Links lead into this page or to this server; no other scheme gets through.
    else if (name === 'href' && !/^(#|\/(?!\/))/.test(value)) continue;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
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

export function byId(id) {
  return document.getElementById(id);
}

/** `3 s`, `12 m`, `4 h`, `2 d`. */
export function span(seconds) {
  const n = Math.max(0, Math.floor(seconds));
  if (n < 60) return `${n} s`;
  if (n < 3600) return `${Math.floor(n / 60)} m`;
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

export function clock(time) {
  const node = h('time', { datetime: time, title: time });
  node.textContent = new Date(time).toLocaleTimeString([], { hour12: false });
  return node;
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
  requestAnimationFrame(() => { live.textContent = text; });
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
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, rows)));
}

/** Text of a plan or a diff, line by line, so that what is added and removed can be told. */
export function diff(text) {
  const lines = text.replace(/\n$/, '').split('\n').map((line) => {
    const kind = line.startsWith('+') ? 'plus' : line.startsWith('-') || line.startsWith('−') ? 'minus'
      : line.startsWith('@@') ? 'hunk' : '';
    return h('span', { class: kind }, line, '\n');
  });
  return h('pre', { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Plan' }, h('code', {}, lines));
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
  say(message);
  const node = h('div', { class: 'toast', role: 'alert' }, message,
    h('button', { class: 'plain', 'aria-label': 'Dismiss', onclick: () => node.remove() }, '✕'));
  document.body.append(node);
  setTimeout(() => node.remove(), 12000);
}
