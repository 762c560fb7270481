// The project: languages, index, language servers, memories, playbook.

import { ago, badge, button, dialog, empty, h, panel, rows, say, show, table } from './dom.js';
import { call, get, may, post } from './api.js';

export function open(main) {
  let gone = false;
  let timer = 0;
  const facts = h('div', {});
  const memories = h('div', {});
  const found = h('div', { role: 'status' });
  show(main, h('div', { class: 'split' }, h('div', {}, facts), h('div', {}, panel('Memories', memories), playbook(found))));
  const drawMemories = async () => {
    const list = (await get('/api/memories')).memories;
    if (!gone) show(memories, memoryList(list, drawMemories));
  };
  const drawFacts = async () => {
    const [project, status] = await Promise.all([get('/api/project'), get('/api/status')]);
    if (gone) return;
    show(facts, view(project, status, drawFacts));
    // An index or a server that is on its way is looked at again.
    const moving = (status.index && !status.index.complete) || Object.values(status.language_servers).some((it) => it === 'starting' || it === 'indexing');
    if (moving) timer = setTimeout(() => drawFacts().catch(() => {}), 1000);
  };
  const fail = (node) => (error) => show(node, h('p', { class: 'problem' }, error.message));
  drawFacts().catch(fail(facts));
  drawMemories().catch(fail(memories));
  return () => { gone = true; clearTimeout(timer); };
}

function view(project, status, again) {
  const most = Math.max(1, ...project.languages.map((it) => it.bytes));
  const { index } = status;
  const servers = new Map(Object.entries(status.language_servers));
  return [
    panel('Project', rows([
      ['Root', h('code', {}, project.project)], ['Files', String(project.files)],
      ['Git', project.git ? `${project.git.branch || 'detached'} ${(project.git.head || '').slice(0, 12)}` : 'no repository'],
      ['Manifests', project.manifests.join(', ')],
      ['Index', index ? `${index.symbols} symbols in ${index.files} files` : 'not made yet: the first question about symbols makes it']]),
      index && !index.complete ? h('label', {}, 'Indexing ', h('progress', { max: String(index.files_total || 1), value: index.files_done }), ` ${index.files_done} of ${index.files_total}`) : null),
    panel('Languages', project.languages.length ? h('ul', { class: 'bars' }, project.languages.slice(0, 12).map((it) => h('li', {},
      h('span', {}, it.name), h('meter', { min: '0', max: String(most), value: it.bytes, 'aria-label': `${it.name}: ${it.bytes} bytes` }), h('span', { class: 'quiet' }, `${it.files} files`)))) : empty('No source files were found.')),
    panel('Language servers', servers.size ? table(['Language', 'Server', 'State', ''], [...servers].map(([language, health]) => h('tr', {},
      h('th', { scope: 'row' }, language), h('td', {}, (project.language_servers.find((it) => it.language === language) || {}).name || ''),
      h('td', {}, badge(`l-${health}`, health)),
      h('td', {}, button('Restart', async () => {
        const done = await post(`/api/language-servers/${encodeURIComponent(language)}/restart`);
        say(`${done.server || language} restarted, process ${done.pid}`);
        await again();
      }, { 'aria-label': `Restart ${language}`, 'data-language': language })))), 'Language servers') : empty('No language server is installed. `modekeeper lsp list` shows which there are.')),
  ];
}

function memoryList(list, again) {
  return [
    list.length ? table(['Name', 'Size', 'Changed', ''], list.map((it) => h('tr', {},
      h('th', { scope: 'row' }, h('button', { class: 'plain name', onclick: () => edit(it.name, again).catch((error) => say(error.message)) }, it.name)),
      h('td', {}, `${it.size} B`), h('td', {}, ago(it.modified)),
      h('td', {}, button('Delete', async () => {
        if (!confirm(`Delete the memory ${it.name}?`)) return;
        await call('DELETE', `/api/memories/${encode(it.name)}`);
        await again();
      }, { class: 'danger', 'aria-label': `Delete ${it.name}` })))), 'Memories') : empty('No memories yet. Agents write down here what they want to know later.'),
    may() ? h('form', { class: 'actions', onsubmit: (event) => {
      event.preventDefault();
      const { value } = event.target.elements.name;
      if (value) write(value, '', again);
    } }, h('input', { name: 'name', 'aria-label': 'Name of a new memory', placeholder: 'new_memory' }), h('button', {}, 'New')) : null,
  ];
}

const encode = (name) => name.split('/').map(encodeURIComponent).join('/');

async function edit(name, again) {
  const { content } = await get(`/api/memories/${encode(name)}`);
  write(name, content, again);
}

function write(name, content, again) {
  const text = h('textarea', { rows: '18', 'aria-label': `Text of ${name}`, id: 'memory-text', value: content });
  const box = dialog(name, text, h('div', { class: 'actions' }, may() ? button('Save memory', async () => {
    await call('PUT', `/api/memories/${encode(name)}`, { content: text.value });
    box.close();
    say('Saved');
    await again();
  }, { class: 'primary' }) : null));
}

function playbook(found) {
  const query = h('input', { type: 'search', name: 'q', 'aria-label': 'Search the playbook', placeholder: 'Search rules, agents, skills' });
  const look = async () => {
    const answer = await get(`/api/playbook?q=${encodeURIComponent(query.value)}`);
    if (answer.skills) show(found, h('p', { class: 'quiet' }, `${answer.total} skills`), h('ul', {}, answer.skills.slice(0, 40).map((it) => h('li', {}, h('strong', {}, it.name), ' ', h('span', { class: 'quiet' }, it.description)))));
    else if (answer.results.length) show(found, h('ul', {}, answer.results.slice(0, 20).map((it) => h('li', {}, h('code', {}, it.file), it.matches.slice(0, 3).map((line) => h('div', { class: 'quiet' }, typeof line === 'string' ? line : line.text || JSON.stringify(line)))))));
    else show(found, empty('Nothing was found.'));
  };
  look().catch((error) => show(found, h('p', { class: 'problem' }, error.message)));
  return panel('Playbook', h('form', { class: 'actions', onsubmit: (event) => { event.preventDefault(); look().catch((error) => show(found, h('p', { class: 'problem' }, error.message))); } }, query, h('button', {}, 'Search')), found);
}
