// The project's mode file: completion from the schema, what patterns match, whose rights change, then saved.

import { button, count, empty, h, mode, number, panel, say, show, table } from './dom.js';
import { call, get, may } from './api.js';
import { problemRow } from './modes.js';

const STARTER = `customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write and edit the documentation of this project.
    groups:
      - read
      - [edit, {fileRegex: '\\.md$', description: Markdown only}]
    examples:
      allow: [write_to_file docs/guide.md]
      deny: [write_to_file src/main.rs]
`;

export function open(main) {
  let gone = false;
  get('/api/modes/file').then((file) => { if (!gone) show(main, view(file)); },
    (error) => show(main, h('p', { class: 'problem' }, error.message)));
  return () => { gone = true; };
}

function words(schema) {
  const defs = schema.$defs || {};
  const list = [];
  const add = (properties) => {
    for (const [name, of] of Object.entries(properties || {})) list.push([name, of.description || '']);
  };
  const walk = (value) => {
    if (!value || typeof value !== 'object') return;
    if (value.properties) add(value.properties);
    if (Array.isArray(value.enum)) for (const word of value.enum) if (typeof word === 'string') list.push([word, '']);
    for (const child of Object.values(value)) walk(child);
  };
  walk(defs);
  const seen = new Set();
  return list.filter(([name]) => !seen.has(name) && seen.add(name));
}

function view(file) {
  const known = words(file.schema || {});
  const original = file.text || '';
  const text = h('textarea', { id: 'draft', spellcheck: 'false', rows: '22', 'aria-describedby': 'draft-help', value: file.text || STARTER });
  const suggestions = h('ul', { class: 'suggestions', role: 'listbox', 'aria-label': 'Completions', hidden: true });
  const checked = h('div', {});
  const save = button('Save', async () => {
    await call('PUT', '/api/modes/file', { text: text.value });
    say('Saved');
    location.hash = '#/modes';
  }, { class: 'primary' });
  let turn = 0;
  const check = async () => {
    turn += 1;
    const mine = turn;
    try {
      const found = await call('POST', '/api/modes/draft', { text: text.value });
      if (mine !== turn) return;
      const errors = found.diagnostics.filter((it) => it.severity === 'error' && it.file === file.file);
      save.disabled = errors.length > 0 || !may() || text.value === original;
      show(checked, report(found, file.file));
    } catch (error) { show(checked, h('p', { class: 'problem' }, error.message)); }
  };
  let timer = 0;
  text.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(check, 250); complete(); });
  let choice = 0;
  const word = () => (text.value.slice(0, text.selectionStart).match(/[A-Za-z]+$/) || [''])[0];
  const accept = (name) => {
    const at = text.selectionStart;
    const typed = word();
    text.setRangeText(name, at - typed.length, at, 'end');
    suggestions.hidden = true;
    text.focus();
    text.dispatchEvent(new Event('input'));
    suggestions.hidden = true;
  };
  const complete = (asked) => {
    const typed = word().toLowerCase();
    const fits = typed.length >= 2 || asked ? known.filter(([name]) => name.toLowerCase().startsWith(typed) && name.toLowerCase() !== typed).slice(0, 8) : [];
    choice = 0;
    suggestions.hidden = fits.length === 0;
    show(suggestions, fits.map(([name, about], at) => h('li', { role: 'option', 'aria-selected': at === 0 ? 'true' : 'false', onmousedown: (event) => { event.preventDefault(); accept(name); } },
      h('code', {}, name), ' ', h('span', { class: 'quiet' }, about))));
  };
  text.addEventListener('keydown', (event) => {
    const options = [...suggestions.children];
    if (event.ctrlKey && event.key === ' ') { event.preventDefault(); complete(true); return; }
    if (suggestions.hidden) return;
    if (event.key === 'Escape') { suggestions.hidden = true; event.preventDefault(); }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choice = (choice + (event.key === 'ArrowDown' ? 1 : options.length - 1)) % options.length;
      options.forEach((node, at) => node.setAttribute('aria-selected', at === choice ? 'true' : 'false'));
    }
    if (event.key === 'Enter') { event.preventDefault(); accept(options[choice].querySelector('code').textContent); }
  });
  check();
  return [
    h('div', { class: 'split' },
      panel(`Edit ${file.file}`,
        h('p', { id: 'draft-help', class: 'quiet' }, file.text ? 'Ctrl+Space completes keys.' : 'There is no mode file yet; this is a starting point. Ctrl+Space completes keys.'),
        h('label', { class: 'hidden', for: 'draft' }, 'Mode file'),
        h('div', { class: 'edit' }, text, suggestions),
        h('div', { class: 'actions' }, save, h('a', { href: '#/modes' }, 'Back'))),
      panel('What it means', checked)),
  ];
}

function report(found, file) {
  const problems = found.diagnostics.filter((it) => it.file === file);
  return [
    h('h3', {}, 'Problems'),
    problems.length ? table(['Where', 'What', 'What to do'], problems.map(problemRow), 'Problems') : empty('None. The examples hold.'),
    h('h3', {}, 'Rights that change when you save'),
    found.changes.length ? table(['Mode', 'Group', 'Before', 'After'], found.changes.map((it) => h('tr', { class: it.widens ? 'warning' : null },
      h('td', {}, mode(it.mode)), h('td', {}, it.group), h('td', {}, h('code', {}, it.before)), h('td', {}, h('code', {}, it.after), it.widens ? h('span', { class: 'warn' }, ' wider') : null))), 'Rights that change')
      : empty('None.'),
    h('h3', {}, 'Patterns'),
    found.modes.some((it) => it.patterns.length) ? table(['Mode', 'Group', 'Pattern', 'Matches'], found.modes.flatMap((it) => it.patterns.map((use) => patternRow(it.slug, use))), 'Patterns')
      : empty('No pattern limits a group.'),
  ];
}

function patternRow(slug, use) {
  return h('tr', {}, h('td', {}, mode(slug)), h('td', {}, use.group), h('td', {}, h('code', {}, use.pattern)),
    h('td', { class: use.matched ? null : 'warn', title: use.examples.join('\n') }, `matches ${number(use.matched)} of ${count(use.files, 'file')}`));
}
