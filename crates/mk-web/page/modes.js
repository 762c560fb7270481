// Rights as a matrix, prompts, the playground, problems of mode files.

import { button, count, dialog, empty, h, mode, number, panel, prose, rows, show, table, verdict } from './dom.js';
import { call, get, may, on, post } from './api.js';

const TOOLS = ['Edit', 'Write', 'Read', 'Bash', 'WebFetch', 'write_to_file', 'read_file', 'apply_diff', 'execute_command', 'browser_action', 'use_mcp_tool', 'switch_mode'];

export function open(main) {
  let gone = false;
  const draw = async () => {
    const known = await get('/api/modes');
    if (!gone) show(main, view(known, draw));
  };
  const end = on(['modes'], () => { if (!main.contains(document.activeElement?.closest?.('form'))) draw(); });
  draw().catch((error) => show(main, h('p', { class: 'problem' }, error.message)));
  return () => { gone = true; end(); };
}

function view(known, again) {
  return [
    panel('Rights',
      h('div', { class: 'meta' },
        h('span', {}, 'Project mode: ', known.project_mode ? mode(known.project_mode) : h('span', { class: 'quiet' }, 'none set')),
        h('span', {}, 'Default: ', mode(known.default_mode)),
        h('span', {}, 'Switching: ', h('code', {}, known.switching)),
        h('span', {}, trustOf(known)),
        known.ceiling ? h('span', {}, 'This server is capped at ', mode(known.ceiling)) : null,
        h('a', { href: '#/edit' }, 'Edit .roomodes')),
      table(['Mode', ...known.groups, 'Switches to', ''], known.modes.map((it) => modeRow(it, known, again)), 'Modes and what they may use')),
    playground(known),
    panel('Problems', known.diagnostics.length ? table(['Where', 'What', 'What to do'], known.diagnostics.map(problemRow), 'Problems of mode files')
      : empty('No problems in any mode file.')),
  ];
}

function trustOf(known) {
  if (known.switching === 'free') return 'Mode files count as they are written';
  const held = known.modes.filter((it) => !it.trusted).length;
  if (!held) return 'Every mode is trusted as it is written';
  return h('span', { class: 'warn' }, count(held, 'mode waits for trust', 'modes wait for trust'));
}

function modeRow(it, known, again) {
  const patterns = (group) => it.patterns.filter((found) => found.group === group);
  return h('tr', { class: it.slug === known.project_mode ? 'current' : null },
    h('th', { scope: 'row' }, button(it.name, () => details(it), { class: 'plain name', 'aria-label': `Show ${it.name}` }),
      h('div', { class: 'quiet' }, it.slug, ' · ', it.source === 'builtin' ? 'built in' : it.source, it.hidden ? ' · hidden' : ''),
      it.trusted ? null : trust(it, again)),
    known.groups.map((group) => h('td', { class: 'right' }, right(it.tool_groups[group], patterns(group)))),
    h('td', {}, it.switch_to ? it.switch_to.join(', ') || 'none' : 'any'),
    h('td', { class: 'act' }, may() && it.slug !== known.project_mode
      ? button('Use here', async () => { await post('/api/mode', { mode: it.slug }); await again(); }, { title: 'Hold every agent in this project in this mode', 'aria-label': `Use ${it.slug} here` })
      : it.slug === known.project_mode ? h('span', { class: 'quiet' }, 'in use') : null));
}

/** A text that allows more than before: its earlier limits apply until a person trusts it. */
function trust(it, again) {
  return h('div', { class: 'untrusted' }, h('span', { class: 'badge v-ask' }, 'not trusted'), ' ',
    it.untrusted.changes.map((found) => h('div', { class: 'quiet' }, `${found.group}: ${found.before} → ${found.after}`)),
    may() ? button('Trust', async () => { await post(`/api/modes/${it.slug}/trust`, { hash: it.untrusted.hash }); await again(); }, { title: 'Let the mode have what is shown here', 'aria-label': `Trust ${it.slug}` }) : null);
}

function right(group, patterns) {
  if (!group || !group.enabled) return h('span', { class: 'no', role: 'img', 'aria-label': 'no' }, '–');
  const limits = [group.file_regex, group.command_regex].filter(Boolean);
  if (!limits.length && !patterns.length) return h('span', { class: 'yes', role: 'img', 'aria-label': 'yes' }, '✓');
  return [
    h('span', { class: 'some', role: 'img', 'aria-label': 'limited' }, '◑'),
    patterns.length ? patterns.map(uses) : limits.map((limit) => h('code', {}, limit)),
    group.command_regex && patterns.length ? h('code', {}, group.command_regex) : null,
  ];
}

export function uses(found) {
  return h('div', { class: 'pattern' }, h('code', {}, found.pattern),
    h('span', { class: found.matched ? 'quiet' : 'warn', title: found.examples.join('\n') }, ` matches ${number(found.matched)} of ${count(found.files, 'file')}`));
}

async function details(it) {
  const { prompt } = await get(`/api/modes/${it.slug}/prompt`);
  dialog(it.name,
    rows([['Slug', it.slug], ['From', `${it.source} (${it.file})`], ['For', it.description || it.when_to_use], ['Model', it.model]]),
    h('h3', {}, 'Prompt'), h('pre', { tabindex: '0', class: 'prompt', role: 'region', 'aria-label': 'Prompt' }, h('code', {}, prompt)));
}

function playground(known) {
  const slug = h('select', { id: 'play-mode' }, known.modes.map((it) => h('option', { value: it.slug }, it.slug)));
  slug.value = known.project_mode || known.default_mode;
  const tool = h('input', { id: 'play-tool', list: 'tools', value: 'Edit', required: true });
  const target = h('input', { id: 'play-target', value: '', placeholder: 'src/main.rs, a command line, or server/tool' });
  const answer = h('div', { class: 'answer', role: 'status' });
  const ask = async (event) => {
    event.preventDefault();
    try {
      const found = await call('POST', '/api/check', { mode: slug.value, tool: tool.value, target: target.value || undefined });
      show(answer, h('p', {}, verdict(found.verdict), ' ', prose(found.reason)), rows([['Rule', h('code', {}, found.rule)], ['Limit', found.restriction ? h('code', {}, found.restriction) : null], ['Hint', found.verdict === 'allow' || !found.hint ? null : prose(found.hint)]]));
    } catch (error) { show(answer, h('p', { class: 'problem' }, error.message)); }
  };
  return panel('Playground',
    h('form', { class: 'play', onsubmit: ask },
      h('label', {}, 'What would', slug), h('label', {}, 'say to', tool), h('label', { class: 'wide' }, 'on', target),
      h('datalist', { id: 'tools' }, TOOLS.map((name) => h('option', { value: name }))),
      h('button', { class: 'primary' }, 'Ask')), answer);
}

export function problemRow(found) {
  return h('tr', { class: found.severity },
    h('td', { class: 'where' }, h('code', {}, `${found.file}:${found.line}:${found.column}`)),
    h('td', {}, h('span', { class: `badge v-${found.severity === 'error' ? 'deny' : 'ask'}` }, found.severity), ' ', found.mode ? [mode(found.mode), ' '] : null, prose(found.message)),
    h('td', {}, prose(found.hint || '')));
}
