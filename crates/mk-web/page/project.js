// The project: languages, index, language servers, memories, playbook.

import { ago, badge, button, count, dialog, empty, h, number, panel, prose, rows, say, show, table } from './dom.js';
import { call, get, may, on, post } from './api.js';

// Outlives a redraw.
let showsOthers = false;

export function open(main) {
  let gone = false;
  let timer = 0;
  const facts = h('div', {});
  const memories = h('div', {});
  const found = h('div', { role: 'status' });
  show(main, h('div', { class: 'split' }, h('div', {}, facts), h('div', {}, panel('Memories', memories, may() ? newMemory(() => drawMemories()) : null), playbook(found))));
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
    if (moving) lookAgain();
  };
  // What agents do here may begin an index, start a server, or write a memory.
  const lookAgain = () => {
    timer ||= setTimeout(() => {
      timer = 0;
      Promise.all([drawFacts(), drawMemories()]).catch(() => {});
    }, 1000);
  };
  const end = on(['decisions'], lookAgain);
  const fail = (node) => (error) => show(node, h('p', { class: 'problem' }, error.message));
  drawFacts().catch(fail(facts));
  drawMemories().catch(fail(memories));
  return () => { gone = true; end(); clearTimeout(timer); };
}

function view(project, status, again) {
  const most = Math.max(1, ...project.languages.map((it) => it.bytes));
  const { index } = status;
  const all = Object.entries(status.language_servers).map(([language, health]) => {
    const here = project.language_servers.find((it) => it.language === language);
    return { language, health, name: here ? here.name : '', isHere: Boolean(here) || health !== 'stopped' };
  });
  const servers = all.filter((it) => it.isHere);
  const others = all.filter((it) => !it.isHere);
  return [
    panel('Project', rows([
      ['Root', h('code', {}, project.project)], ['Files', number(project.files)],
      ['Git', project.git ? `${project.git.branch || 'detached'} ${(project.git.head || '').slice(0, 12)}` : 'no repository'],
      ['Manifests', project.manifests.join(', ')],
      ['Index', index ? `${count(index.symbols, 'symbol')} in ${count(index.files, 'file')}` : 'not built yet; the first call of a symbol tool builds it']]),
      index && !index.complete ? h('label', {}, 'Indexing ', h('progress', { max: String(index.files_total || 1), value: index.files_done }), ` ${number(index.files_done)} of ${count(index.files_total, 'file')}`) : null),
    panel('Languages', project.languages.length ? h('ul', { class: 'bars' }, project.languages.slice(0, 12).map((it) => h('li', {},
      h('span', {}, it.name), h('meter', { min: '0', max: String(most), value: it.bytes, 'aria-label': `${it.name}: ${count(it.bytes, 'byte')}` }), h('span', { class: 'quiet' }, count(it.files, 'file'))))) : empty('No source files were found.')),
    panel('Language servers', servers.length ? serverTable(servers, again) : empty('No language server is installed for the languages of this project.'),
      others.length ? h('details', { open: showsOthers, ontoggle: (event) => { showsOthers = event.target.open; } }, h('summary', {}, `${count(others.length, 'more language server')} installed`), serverTable(others, again)) : null,
      h('p', { class: 'quiet note' }, prose('`modekeeper lsp list` shows every language server and how to install it.'))),
  ];
}

function serverTable(servers, again) {
  return table(['Language', 'Server', 'State', ''], servers.map(({ language, name, health }) => h('tr', {},
    h('th', { scope: 'row' }, language), h('td', {}, name), h('td', {}, badge(`l-${health}`, health)),
    h('td', { class: 'act' }, may() ? button('Restart', async () => {
      const done = await post(`/api/language-servers/${encodeURIComponent(language)}/restart`);
      say(`${done.server || language} restarted, process ${done.pid}`);
      await again();
    }, { 'aria-label': `Restart ${language}`, 'data-language': language }) : null))), 'Language servers');
}

function memoryList(list, again) {
  return [
    list.length ? table(['Name', 'Size', 'Changed', ''], list.map((it) => h('tr', {},
      h('th', { scope: 'row' }, button(it.name, () => edit(it.name, again), { class: 'plain name', 'aria-label': `Open ${it.name}` })),
      h('td', {}, `${number(it.size)} B`), h('td', {}, ago(it.modified)),
      h('td', { class: 'act' }, may() ? button('Delete', async () => {
        if (!confirm(`Delete the memory ${it.name}?`)) return;
        await call('DELETE', `/api/memories/${encode(it.name)}`);
        await again();
      }, { class: 'danger', 'aria-label': `Delete ${it.name}` }) : null))), 'Memories') : empty('No memories yet. Agents keep notes here for later tasks.'),
  ];
}

function newMemory(again) {
  return h('form', { class: 'actions', onsubmit: (event) => {
    event.preventDefault();
    const { value } = event.target.elements.name;
    if (value) write(value, '', again);
  } }, h('input', { name: 'name', 'aria-label': 'Name of a new memory', placeholder: 'new_memory' }), h('button', {}, 'New'));
}

/** A name as a part of an address, which must not lead to another one. */
function encode(name) {
  const parts = name.split('/');
  if (parts.some((part) => part === '.' || part === '..')) throw new Error(`A memory cannot be named \`${name}\`.`);
  return parts.map(encodeURIComponent).join('/');
}

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
    if (answer.skills) show(found, h('p', { class: 'quiet' }, count(answer.total, 'skill')), h('ul', { class: 'found', tabindex: '0', 'aria-label': 'Skills' }, answer.skills.slice(0, 40).map((it) => h('li', {}, h('strong', {}, it.name), ' ', h('span', { class: 'quiet' }, it.description)))));
    else if (answer.results.length) show(found, h('ul', { class: 'found', tabindex: '0', 'aria-label': 'Matches' }, answer.results.slice(0, 20).map((it) => h('li', {}, h('code', {}, it.file), it.matches.slice(0, 3).map((line) => h('div', { class: 'quiet' }, typeof line === 'string' ? line : line.text || JSON.stringify(line)))))));
    else show(found, empty('No matches.'));
  };
  look().catch((error) => show(found, h('p', { class: 'problem' }, error.message)));
  return panel('Playbook', h('form', { class: 'actions', onsubmit: (event) => { event.preventDefault(); look().catch((error) => show(found, h('p', { class: 'problem' }, error.message))); } }, query, h('button', {}, 'Search')), found);
}
