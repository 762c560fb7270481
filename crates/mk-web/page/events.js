// Server-sent events over fetch: an EventSource cannot send the page's half of its session.

const AGAIN = 1000;

/** Follows a stream until `close`, from where it was when it broke off. */
export function follow(path, { headers, opened, closed, heard }) {
  const control = new AbortController();
  let last = '';
  async function read() {
    const answer = await fetch(path, {
      headers: { ...headers(), Accept: 'text/event-stream', ...(last ? { 'Last-Event-ID': last } : {}) },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: control.signal,
    });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    opened();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split('\n\n');
      rest = parts.pop();
      for (const part of parts) tell(part);
    }
  }
  function tell(part) {
    let name = 'message';
    const data = [];
    for (const line of part.split('\n')) {
      const [, field, value] = /^([a-z]*):? ?(.*)$/s.exec(line) || [];
      if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id') last = value;
    }
    if (data.length) heard(name, data.join('\n'));
  }
  async function again() {
    try { await read(); } catch { /* It is tried again. */ }
    if (control.signal.aborted) return;
    closed();
    setTimeout(again, AGAIN);
  }
  again();
  return { close: () => control.abort() };
}
