// What the server knows, and what changes there.

/** Who is at the page, and what changes must bring along. */
export const session = { role: null, csrf: null, name: null, version: '' };

/** What is shown, kept in step by events. */
export const state = {
  approvals: [],
  tasks: [],
  conversations: [],
  decisions: [],
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

export async function call(method, path, body) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET' && session.csrf) headers['X-CSRF-Token'] = session.csrf;
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
    if (response.status === 401 && session.csrf) {
      session.csrf = null;
      session.role = null;
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
    Object.assign(session, await post('/api/session', { link }));
    return true;
  }
  try {
    Object.assign(session, await get('/api/session'));
    return true;
  } catch (error) {
    if (error.status === 401) return false;
    throw error;
  }
}

let source = null;

export async function listen() {
  const first = await get('/api/decisions?limit=500');
  state.decisions = first.decisions;
  tell('decisions');
  source = new EventSource('/api/events');
  source.onopen = () => { state.connected = true; tell('connection'); };
  source.onerror = () => { state.connected = false; tell('connection'); check(); };
  source.addEventListener('approvals', (event) => {
    state.approvals = JSON.parse(event.data).approvals;
    tell('approvals');
  });
  source.addEventListener('tasks', (event) => {
    const { tasks, conversations } = JSON.parse(event.data);
    state.tasks = tasks;
    state.conversations = conversations;
    tell('tasks');
  });
  source.addEventListener('decision', (event) => {
    const decision = JSON.parse(event.data);
    if (state.decisions.some((known, index) => index < 64 && known.id === decision.id)) return;
    state.decisions.unshift(decision);
    if (state.decisions.length > MOST_DECISIONS) state.decisions.length = MOST_DECISIONS;
    tell('decisions');
  });
  source.addEventListener('modes', () => tell('modes'));
  source.addEventListener('reload', reload);
}

async function reload() {
  state.decisions = (await get('/api/decisions?limit=500')).decisions;
  const { tasks, conversations } = await get('/api/tasks');
  Object.assign(state, { tasks, conversations });
  state.approvals = (await get('/api/approvals')).approvals;
  for (const name of ['decisions', 'tasks', 'approvals']) tell(name);
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
  const more = (await get(`/api/decisions?limit=2000&before=${last.id}`)).decisions;
  state.decisions.push(...more);
  if (more.length) tell('decisions');
  return more.length > 0;
}

export async function leave() {
  if (source) source.close();
  await call('DELETE', '/api/session');
  session.role = null;
  session.csrf = null;
  tell('session');
}
