/**
 * Judges calls by policy documents: the first rule that matches decides, else the default. Where the rules of others
 * apply as well (a project's), each list judges by itself and the strictest verdict counts, so none can loosen another.
 *
 * A command rule that allows is exact, except for its `*`, and that stands for plain words only. A command with shell
 * syntax (`;`, `&`, `|`, `$`, backquotes, parentheses, redirections, newlines) in the place of a `*` is not allowed by
 * the rule: it is asked for at least, whatever follows. So `npm test` does not allow `npm test; rm -rf /`, and `npm *`
 * has it asked for. What a program does with its plain arguments no pattern can tell: `git *` also allows
 * `git -c core.pager=…`. Rules that ask or deny match any part of a compound command; they are a help against accidents,
 * and no boundary, as there are endless ways to write a command. The boundary is `default: deny`, or a sandbox.
 */
import type { Policy, PolicyAction, PolicyInput, PolicyRule } from '../../shared/mission.js';
import { type EffectClass, effectClasses } from '../../shared/run.js';
import type { Confinement } from './tool.js';
import { matchesAnyPart, matchesCommand, matchesPath, matchesPlainCommand } from './policy-match.js';

export interface PolicyCall {
  readonly tool: string;
  readonly class: EffectClass;
  /** As `policyPath` gives it. */
  readonly path?: string;
  readonly command?: string;
  /** Those that its command names. */
  readonly hosts?: readonly string[];
}

export interface Verdict {
  readonly action: PolicyAction;
  /** How long an approval waits, and what then counts as its answer. */
  readonly deadlineSeconds: number;
  readonly onDeadline: 'allow' | 'deny';
}

export interface PolicySurroundings {
  /** Commands can run in a sandbox: the preset `workspace` then allows them. */
  readonly sandbox: boolean;
}

type Budget = NonNullable<Policy['budget']>;
type Rules = Pick<Policy, 'default' | 'rules'>;

const defaultDeadlineSeconds = 3_600;
const readingTools = ['read', 'list', 'glob', 'grep'];
const writingTools = ['write', 'edit'];

/** A policy document; a preset is written out. */
export function resolvePolicy(policy: PolicyInput): Policy {
  const rules = (tools: readonly string[]): PolicyRule[] => tools.map((tool) => ({ tool, action: 'allow' }));
  switch (policy) {
    case 'readonly':
      return { default: 'deny', rules: rules(readingTools) };
    case 'ask':
      return { default: 'ask', rules: rules(readingTools) };
    case 'workspace':
      // Whether a sandbox works is asked at each call: a stored policy may outlive it.
      return {
        default: 'ask',
        rules: [...rules([...readingTools, ...writingTools]), { tool: 'shell', when: { sandboxed: true }, action: 'allow' }],
      };
    case 'full':
      return { default: 'allow', rules: [], sandbox: false, network: true };
    default: {
      const { rules: own = [], also = [], ...rest } = policy;
      return { ...rest, rules: own, also: also.map((each) => ({ ...each, rules: each.rules ?? [] })) };
    }
  }
}

/** What is to happen with a call. A call of class `blocked` is denied by every policy. */
export function judge(policy: PolicyInput, call: PolicyCall, surroundings: PolicySurroundings): Verdict {
  if (call.class === 'blocked') return verdict('deny');
  const resolved = resolvePolicy(policy);
  const isConfined = surroundings.sandbox && resolved.sandbox !== false;
  // Who asked for a sandbox by name, and gets none, is asked instead.
  const misses = call.tool === 'shell' && resolved.sandbox === true && !surroundings.sandbox;
  return allRules(resolved)
    .map((rules) => judgeByOne(rules, call, isConfined))
    .reduce(stricter, verdict(misses ? 'ask' : 'allow'));
}

/** Whether a model is shown a tool at all: false when every call of it would be denied. */
export function isOffered(policy: PolicyInput, tool: string): boolean {
  return allRules(resolvePolicy(policy)).every(({ default: otherwise, rules }) => {
    const about = rules.filter((rule) => matchesCommand(rule.tool, tool));
    const unconditional = about.findIndex((rule) => rule.when === undefined);
    const reachable = unconditional < 0 ? about : about.slice(0, unconditional + 1);
    return reachable.some((rule) => rule.action !== 'deny') || (unconditional < 0 && otherwise !== 'deny');
  });
}

/** `parent` with the rules of `child` (a project's configuration, a sub-mission's) applying as well, and the least of both budgets. */
export function tighten(parent: Policy, child: Policy): Policy {
  const both = [parent.sandbox, child.sandbox];
  const sandbox = both.includes(true) ? true : both.every((each) => each === false) ? false : undefined;
  const [own, ...others] = allRules(parent).map((rules) => asBefore(rules, parent, sandbox !== false));
  const added = allRules(child).map((rules) => asBefore(rules, child, sandbox !== false));
  return {
    ...(own as Rules),
    ...(sandbox === undefined ? {} : { sandbox }),
    network: parent.network === true && child.network === true,
    also: [...others, ...added],
    budget: smaller(parent.budget ?? {}, child.budget ?? {}),
  };
}

/**
 * Rules that were written for commands without a sandbox, when another policy puts them into one: what they asked for or
 * denied there they still do, and what they would have allowed only in a sandbox they still do not.
 */
function asBefore({ default: otherwise, rules }: Rules, { sandbox }: Policy, isNow: boolean): Rules {
  if (sandbox !== false || !isNow) return { default: otherwise, rules };
  const kept = rules.filter(({ when }) => when?.sandboxed !== true);
  return {
    default: otherwise,
    rules: kept.map((rule) => {
      if (rule.when?.sandboxed === undefined) return rule;
      const { sandboxed: _sandboxed, ...when } = rule.when;
      return { ...rule, when };
    }),
  };
}

/** How the commands of a policy are confined where a sandbox works; null: not at all. */
export function confinementOf({ sandbox, network }: Policy): Confinement | null {
  if (sandbox === false) return null;
  return { network: network === true ? 'open' : 'none' };
}

function allRules({ default: otherwise, rules, also = [] }: Policy): readonly [Rules, ...Rules[]] {
  return [{ default: otherwise, rules }, ...also];
}

function judgeByOne(policy: Rules, call: PolicyCall, isConfined: boolean): Verdict {
  let atLeast = verdict('allow');
  for (const rule of policy.rules) {
    if (!matchesCommand(rule.tool, call.tool)) continue;
    const applies = ruleApplies(rule, call, isConfined);
    if (applies === 'whole') return stricter(atLeast, verdict(rule.action, rule));
    if (applies === 'only_loosely') atLeast = stricter(atLeast, verdict('ask'));
  }
  return stricter(atLeast, verdict(policy.default));
}

/** `only_loosely`: an allowing rule whose `*` would have to stand for shell syntax. */
function ruleApplies({ when = {}, action }: PolicyRule, call: PolicyCall, isConfined: boolean): 'whole' | 'only_loosely' | 'not' {
  const { path, command, host, sandboxed } = when;
  if (sandboxed !== undefined && sandboxed !== isConfined) return 'not';
  if (!classApplies(when, call)) return 'not';
  if (path !== undefined && (call.path === undefined || !matchesPath(path, call.path))) return 'not';
  if (host !== undefined && !hostApplies(host, action, call.hosts ?? [])) return 'not';
  if (command === undefined) return 'whole';
  if (call.command === undefined) return 'not';
  if (action !== 'allow') return matchesAnyPart(command, call.command) ? 'whole' : 'not';
  if (matchesPlainCommand(command, call.command)) return 'whole';
  return matchesCommand(command, call.command) ? 'only_loosely' : 'not';
}

function classApplies({ class: wanted, classAtLeast }: NonNullable<PolicyRule['when']>, call: PolicyCall): boolean {
  if (wanted !== undefined && ![wanted].flat().includes(call.class)) return false;
  return classAtLeast === undefined || effectClasses.indexOf(call.class) >= effectClasses.indexOf(classAtLeast);
}

/** To allow a call, each host that it names has to be meant; to ask for it or to deny it, one is enough. */
function hostApplies(pattern: string, action: PolicyAction, hosts: readonly string[]): boolean {
  const isMeant = (host: string): boolean => matchesCommand(pattern, host);
  return action === 'allow' ? hosts.length > 0 && hosts.every(isMeant) : hosts.some(isMeant);
}

function verdict(action: PolicyAction, rule?: PolicyRule): Verdict {
  return {
    action,
    deadlineSeconds: rule?.deadline ?? defaultDeadlineSeconds,
    onDeadline: rule?.onDeadline ?? 'deny',
  };
}

const strictness: Readonly<Record<PolicyAction, number>> = { allow: 0, ask: 1, deny: 2 };

/** Of two that ask, the shorter deadline, and no unless both say yes. */
function stricter(one: Verdict, other: Verdict): Verdict {
  if (one.action !== other.action) return strictness[one.action] > strictness[other.action] ? one : other;
  return {
    action: one.action,
    deadlineSeconds: Math.min(one.deadlineSeconds, other.deadlineSeconds),
    onDeadline: one.onDeadline === 'allow' && other.onDeadline === 'allow' ? 'allow' : 'deny',
  };
}

function smaller(one: Budget, other: Budget): Budget {
  const least: Budget = {};
  for (const kind of ['turns', 'toolCalls', 'tokens', 'costUsd', 'minutes'] as const) {
    const given = [one[kind], other[kind]].filter((value) => value !== undefined);
    if (given.length > 0) least[kind] = Math.min(...given);
  }
  // A budget that does not say blocks: only where nobody with a budget blocks is somebody asked.
  const ends = [one, other].filter((budget) => Object.keys(budget).length > 0).map((budget) => budget.onExhausted);
  const isSaid = ends.some((end) => end !== undefined);
  const onExhausted = !isSaid ? undefined : ends.every((end) => end === 'ask') ? 'ask' : 'block';
  return onExhausted === undefined ? least : { ...least, onExhausted };
}
