// Each client on this machine: held or not, and by what.

import { badge, button, empty, h, panel, prose, show, table } from './dom.js';
import { get } from './api.js';

export function open(main) {
  let gone = false;
  const look = async () => {
    show(main, panel('Enforcement', h('p', { class: 'quiet', role: 'status' }, 'Sending a forbidden call to each hook…')));
    const found = await get('/api/enforcement');
    if (gone) return;
    show(main, panel('Enforcement',
      h('p', { class: 'quiet' }, 'What ', h('code', {}, 'modekeeper doctor'), ' finds: each client that is set up gets a forbidden call and must refuse it.'),
      found.problem ? h('p', { class: 'problem' }, prose(found.problem)) : null,
      (found.findings || []).length ? table(['Check', 'State', 'Details'], found.findings.map((it) => h('tr', {},
        h('th', { scope: 'row' }, it.subject),
        h('td', {}, it.ok ? badge('v-allow', 'ok') : badge('v-deny', 'not held')),
        h('td', {}, prose(it.text), it.note ? h('div', { class: 'quiet' }, prose(it.note)) : null))), 'Clients and what holds them') : empty('No client was found.'),
      h('div', { class: 'actions' }, button('Check again', look))));
  };
  look().catch((error) => show(main, panel('Enforcement', h('p', { class: 'problem' }, error.message))));
  return () => { gone = true; };
}
