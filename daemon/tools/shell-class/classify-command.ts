/**
 * What a command line would do, judged by its words before it runs: the worst of its parts decides, whatever stands around
 * them. It is a help for policies and for people, and no boundary: a program does what it likes. The sandbox is the boundary.
 */
import { forEachChild, parse, type Command, type Redirection, type SyntaxNode } from 'unbash';
import { type EffectClass, effectClasses } from '../../../shared/run.js';
import type { CommandClass } from '../tool.js';
import { bareHost, hostsIn, unknownHost } from './hosts.js';
import { classOfWriting, folderAfter } from './places.js';
import { programRules, worst } from './program-rules.js';
import { classByName } from './programs.js';
import { operands, toArgument, type Argument } from './words.js';
import { sshWords, unwrap } from './wrappers.js';

/** Shells in shells in shells: deeper ones are not looked into, and count as unknown. */
const deepest = 12;
/** Nodes of one command line that are looked at. */
const mostNodes = 50_000;
/** They take a host as their first word. */
const byHost = new Set(['ssh', 'ping', 'telnet', 'nslookup', 'host', 'dig', 'whois', 'traceroute', 'ftp', 'sftp']);

interface Look {
  readonly classes: EffectClass[];
  readonly hosts: Set<string>;
  readonly functions: Set<string>;
  nodes: number;
  /** Where the commands from here on stand. */
  folder: ReturnType<typeof folderAfter>;
}

export function classifyCommand(command: string): CommandClass {
  const look: Look = { classes: [], hosts: new Set(), functions: new Set(), nodes: 0, folder: 'workspace' };
  lookAtScript(command, look, 0);
  const worstOfAll = worst(look.classes);
  // What runs beside a named host could reach any other: no rule about hosts may allow it all.
  if (look.hosts.size > 0 && effectClasses.indexOf(worstOfAll) > effectClasses.indexOf('network_egress'))
    look.hosts.add(unknownHost);
  return { class: worstOfAll, hosts: [...look.hosts] };
}

function lookAtScript(text: string, look: Look, depth: number): void {
  if (depth > deepest) return void look.classes.push('unknown');
  const script = parse(text);
  if ((script.errors?.length ?? 0) > 0) look.classes.push('unknown');
  lookAt(script, look, depth);
}

function lookAt(node: SyntaxNode, look: Look, depth: number): void {
  look.nodes += 1;
  if (look.nodes > mostNodes || depth > deepest * 20) return void look.classes.push('unknown');
  switch (node.type) {
    case 'Command':
      lookAtCommand(node, look, depth);
      break;
    case 'Redirected':
      node.redirects.forEach((redirect) => lookAtRedirect(redirect, look));
      break;
    case 'Function':
      look.functions.add(node.name.value);
      // A function that starts itself, and does not wait for itself, is a fork bomb.
      if (startsItself(node.body, node.name.value)) look.classes.push('blocked');
      break;
    case 'Script':
      if ('errors' in node && (node.errors?.length ?? 0) > 0) look.classes.push('unknown');
      break;
    case 'Pipeline':
      lookAtPipe(node.commands, look);
      break;
    default:
  }
  forEachChild(node, (child) => lookAt(child, look, depth + 1));
}

function lookAtCommand(command: Command, look: Look, depth: number): void {
  command.redirects.forEach((redirect) => lookAtRedirect(redirect, look));
  for (const each of command.prefix) {
    // They decide which program runs, or what it loads.
    if (
      each.type === 'Assignment' &&
      /^(?:PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|GIT_\w+|NODE_OPTIONS|PYTHON\w*|PERL5\w*)$/.test(each.name ?? '')
    ) {
      look.classes.push('code_execution');
    }
  }
  if (command.name === undefined) return;
  const args = command.args.flatMap((arg) => (arg.type === 'Word' ? [toArgument(arg)] : []));
  lookAtWords([toArgument(command.name), ...args], look, Math.floor(depth / 20));
  if (readsScript(command)) lookAtInput(command, look, depth);
}

function lookAtWords(words: readonly Argument[], look: Look, depth: number): void {
  const [first, ...args] = words;
  if (first === undefined) return;
  if (depth > deepest || first.isDynamic) return void look.classes.push('unknown');
  const name = nameOf(first.text);
  hostsIn(name, args).forEach((host) => look.hosts.add(host));
  if (byHost.has(name)) bareHost(firstOperand(name, args)).forEach((host) => look.hosts.add(host));
  if (name === 'cd' || name === 'pushd') look.folder = folderAfter(operands(args)[0]);
  const own = classOfProgram(first.text, name, args, look);
  look.classes.push(inFolder(own, name, args, look));
  // What an address is, is known only when it runs: no rule about hosts may take it for one that it knows.
  if (own === 'network_egress' && args.some(({ isDynamic }) => isDynamic)) look.hosts.add(unknownHost);
  const wrapped = unwrap(name, args);
  if (wrapped === null) return;
  look.classes.push(wrapped.least);
  if (wrapped.isHidden) look.classes.push('unknown');
  wrapped.commands.forEach((inner) => lookAtWords(inner, look, depth + 1));
  for (const script of wrapped.scripts) {
    if (script.isDynamic) look.classes.push('unknown');
    lookAtScript(script.text, look, depth + 1);
  }
}

/** What is relative is not in the workspace after a `cd` that left it. */
function inFolder(own: EffectClass, name: string, args: readonly Argument[], { folder }: Look): EffectClass {
  if (folder === 'everything' && name === 'rm' && operands(args).some(({ text }) => /^(?:\.\/)?\*$|^\.\/?$/.test(text)))
    return 'blocked';
  return folder !== 'workspace' && own === 'local_write' ? 'system_write' : own;
}

/** Options of ssh take values, which are no hosts. */
const firstOperand = (name: string, args: readonly Argument[]): Argument | undefined =>
  name === 'ssh' || name === 'sftp' ? sshWords(args)[0] : operands(args)[0];

/** `/usr/bin/rm` is `rm`, `\rm` as well. */
const nameOf = (text: string): string => text.replace(/^\\/, '').replace(/^.*\//, '');

const startsOrWrites =
  /^--?(?:output|pager|html|browser|compress-program|use-compress-program|pre|exec|execute|command|preprocessor|lesskey-src|open-files-in-pager|ext-diff|textconv)(?:=|$)|^-[PIO]$|^\+!|^\+.*!/;

function classOfProgram(path: string, name: string, args: readonly Argument[], look: Look): EffectClass {
  if (/^mkfs(?:\.|$)/.test(name)) return 'blocked';
  const known = programRules.get(name)?.(args) ?? classByName.get(name);
  // Programs that only look start another one, or write, where an option of theirs says so.
  if (known === 'safe' && args.some(({ text }) => startsOrWrites.test(text))) return 'code_execution';
  if (known !== undefined) return known;
  if (look.functions.has(name)) return 'safe';
  if (unwrap(name, args) !== null) return 'safe';
  // A file that is called by its path is code that lies there; any other name says nothing.
  return path.includes('/') ? 'code_execution' : 'unknown';
}

function lookAtRedirect(redirect: Redirection, look: Look): void {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return;
  const { operator } = redirect;
  const target = toArgument(redirect.target);
  if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) {
    look.classes.push('network_egress');
    look.hosts.add(target.text.split('/')[3] ?? '');
  } else if (operator.includes('>') && !/^(?:\d+|-)$/.test(target.text)) look.classes.push(classOfWriting(target));
}

/** A shell without a script of its own runs what it reads: the text that stands behind `<<` or `<<<`. */
const readsScript = (command: Command): boolean => /^(?:ba|da|z|k|a)?sh$/.test(nameOf(command.name?.value ?? ''));

function lookAtInput(command: Command, look: Look, depth: number): void {
  for (const redirect of command.redirects) {
    if (redirect.type === 'HereDoc') lookAtScript(redirect.body.text, look, Math.floor(depth / 20) + 1);
    else if (redirect.type === 'HereString' && redirect.target)
      lookAtScript(redirect.target.value, look, Math.floor(depth / 20) + 1);
  }
}

/** What is fed to a shell or an interpreter is a program that nobody can see here. */
function lookAtPipe(commands: readonly SyntaxNode[], look: Look): void {
  const fed = commands.slice(1).some((node) => node.type === 'Command' && readsProgram(node));
  if (fed) look.classes.push('unknown');
}

const readsProgram = (command: Command): boolean => {
  const name = nameOf(command.name?.value ?? '');
  const args = command.args.flatMap((arg) => (arg.type === 'Word' ? [toArgument(arg)] : []));
  return (
    /^(?:python[23]?|node|nodejs|perl|ruby|php)$/.test(name) &&
    operands(args).length === 0 &&
    !args.some(({ text }) => /^-[a-zA-Z]*[ce]$/.test(text))
  );
};

function startsItself(body: SyntaxNode, name: string): boolean {
  let calls = 0;
  let isApart = false;
  const visit = (node: SyntaxNode, depth: number): void => {
    if (depth > 50) return;
    if (node.type === 'Command' && node.name?.value === name) calls += 1;
    if (node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)) isApart = true;
    forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(body, 0);
  return calls > 1 && isApart;
}
