// What the server knows, and what changes there.

import { follow } from './events.js';

/** Who is at the page, and what changes must bring along. */
export const session = { role: null, name: null, version: '' };

/** What is shown, kept in step by events. */
export const state = {
  approvals: [],
  tasks: [],
  conversations: [],
  decisions: [],
  // What the decisions have, for filters.
  known: { mode: new Set(), verdict: new Set(), client: new Set() },
  connected: false,
};

const MOST_DECISIONS = 10000;
const listeners = new Map();

/** Calls back when something of this name changes; gives what ends it. */
export function on(names, call) {
  for (const name of names) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(call);
  }
  return () => { for (const name of names) listeners.get(name).delete(call); };
}

function tell(name) {
  for (const call of [...(listeners.get(name) || [])]) call(name);
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The half of the session's secret that is not in the cookie: other servers on this machine are sent the cookie, too.
const HALF = 'session';

function own() {
  const half = localStorage.getItem(HALF);
  return half ? { 'X-CSRF-Token': half } : {};
}

/** Begins a session with what the server told about it. */
function begin({ csrf, ...told }) {
  localStorage.setItem(HALF, csrf);
  Object.assign(session, told);
}

function forget() {
  localStorage.removeItem(HALF);
  session.role = null;
}

export async function call(method, path, body) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  Object.assign(headers, own());
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
    });
  } catch {
    throw new Refused(0, 'The server does not answer.');
  }
  const text = await response.text();
  let value = null;
  try { value = JSON.parse(text); } catch { value = null; }
  if (!response.ok) {
    const said = value && value.content && value.content[0] ? value.content[0].text.replace(/^Error: /, '') : text.trim();
    const hint = value && value.details ? value.details.suggestion : null;
    if (response.status === 401 && session.role) {
      forget();
      tell('session');
    }
    throw new Refused(response.status, hint && !said.includes(hint) ? `${said} — ${hint}` : said || `HTTP ${response.status}`);
  }
  return value;
}

export const get = (path) => call('GET', path);
export const post = (path, body) => call('POST', path, body);

export function may() {
  return session.role === 'operator' || session.role === 'admin';
}

/** Uses up the link in the address, or asks who we are. */
export async function enter() {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link) {
    // Out of the address and the history before anything else happens.
    history.replaceState(null, '', '/#/now');
    try {
      begin(await post('/api/session', { link }));
      return true;
    } catch (error) {
      // Who is in already stays in, whatever the link was.
      if (await known().catch(() => false)) return true;
      throw error;
    }
  }
  return known();
}

/** Whether there is a session, and whose. */
async function known() {
  try {
    Object.assign(session, await get('/api/session'));
    return true;
  } catch (error) {
    if (error.status === 401) return false;
    throw error;
  }
}

/** Opens a session with a token of `modekeeper token create`; the token itself is not kept. */
export async function logIn(token) {
  const response = await fetch('/api/session', { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: '{}', credentials: 'same-origin' });
  if (response.ok) { begin(await response.json()); return; }
  const said = await response.json().catch(() => null);
  throw new Refused(response.status, said?.content?.[0]?.text.replace(/^Error: /, '') || `HTTP ${response.status}`);
}

const ids = new Set();

/** Those that are not here yet, now known by their ids and for the filters. */
function note(decisions) {
  const fresh = decisions.filter((it) => !ids.has(it.id));
  for (const it of fresh) {
    ids.add(it.id);
    for (const [key, values] of Object.entries(state.known)) values.add(it[key]);
  }
  return fresh;
}

/** The newest decisions, before those that are here. What comes over the stream meanwhile is newer still. */
async function catchUp() {
  const before = state.decisions[0];
  const { decisions } = await get('/api/decisions?limit=500');
  const place = state.decisions.indexOf(before);
  // More was missed than one answer has: what is here would stand behind a gap.
  if (place >= 0 && !decisions.some((it) => it.id === before.id)) {
    for (const it of state.decisions.splice(place)) ids.delete(it.id);
  }
  state.decisions.splice(place < 0 ? state.decisions.length : place, 0, ...note(decisions));
  tell('decisions');
}

let source = null;

const HEARD = {
  approvals(data) {
    state.approvals = data.approvals;
    tell('approvals');
  },
  tasks({ tasks, conversations }) {
    Object.assign(state, { tasks, conversations });
    tell('tasks');
  },
  decision(data) {
    const fresh = note([data]);
    if (!fresh.length) return;
    state.decisions.unshift(...fresh);
    for (const it of state.decisions.splice(MOST_DECISIONS)) ids.delete(it.id);
    tell('decisions');
  },
  modes() { tell('modes'); },
  reload() { reload().catch(() => {}); },
};

export async function listen() {
  source = follow('/api/events', {
    headers: own,
    opened() {
      state.connected = true;
      tell('connection');
      catchUp().catch(() => {});
    },
    closed() { state.connected = false; tell('connection'); check(); },
    heard: (name, data) => HEARD[name]?.(JSON.parse(data)),
  });
}

async function reload() {
  await catchUp();
  const { tasks, conversations } = await get('/api/tasks');
  Object.assign(state, { tasks, conversations });
  state.approvals = (await get('/api/approvals')).approvals;
  for (const name of ['tasks', 'approvals']) tell(name);
}

/** A stream that ended may have ended because the session did. */
async function check() {
  try { await get('/api/session'); } catch (error) {
    if (error.status === 401 && source) { source.close(); source = null; tell('session'); }
  }
}

/** Older decisions than those that are here; tells whether there were some. */
export async function older() {
  const last = state.decisions[state.decisions.length - 1];
  if (!last || state.decisions.length >= MOST_DECISIONS) return false;
  const more = note((await get(`/api/decisions?limit=2000&before=${last.id}`)).decisions);
  state.decisions.push(...more);
  for (const it of state.decisions.splice(MOST_DECISIONS)) ids.delete(it.id);
  if (more.length) tell('decisions');
  return more.length > 0;
}

export async function leave() {
  if (source) source.close();
  await call('DELETE', '/api/session');
  forget();
  tell('session');
}

/** A file of the server, handed to the person as a download. */
export async function download(path, name) {
  const response = await fetch(path, { headers: own(), credentials: 'same-origin' });
  if (!response.ok) throw new Refused(response.status, `The file cannot be had: HTTP ${response.status}`);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
