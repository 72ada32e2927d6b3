/** What it means to write at a path: in the workspace, elsewhere on the machine, or where it would be carried out later. */
import type { EffectClass } from '../../../shared/run.js';
import type { Argument } from './words.js';

/** Shells and sessions read these when they start, services and schedulers by themselves, git at its next command. */
const lasting =
  /(?:^|\/)(?:\.(?:bash|zsh)(?:rc|_profile|_login|_logout|env)|\.profile|\.zprofile|\.zshenv|\.xinitrc|\.xprofile|\.config\/(?:fish|autostart|systemd)|\.ssh\/(?:authorized_keys|config|rc)|\.gitconfig|\.config\/git\/config|Library\/Launch(?:Agents|Daemons))(?:\/|$)|^\/etc\/(?:cron|profile|rc\.local|systemd|init\.d|ld\.so|sudoers|pam\.d)|^\/(?:usr\/)?lib\/systemd|^\/var\/spool\/cron|(?:^|\/)\.git\/(?:hooks|config)(?:\/|$)/;
const nowhere = /^\/dev\/(?:null|stdout|stderr|stdin|tty|fd\/\d+)$/;
const passing = /^\/(?:var\/)?tmp(?:\/|$)/;
/** Writing to one of these writes over a disk. */
const disk = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md)/;

/** `path` as it is written; relative ones are in the workspace. */
export function classOfWriting({ text, isDynamic }: Argument): EffectClass {
  if (disk.test(text)) return 'blocked';
  if (lasting.test(text)) return 'persistence';
  if (nowhere.test(text)) return 'safe';
  if (passing.test(text)) return 'local_write';
  if (text.startsWith('/') || text.startsWith('~') || climbsOut(text) || /^\$\{?HOME\b/.test(text)) return 'system_write';
  return isDynamic && /^["']?\$/.test(text) ? 'unknown' : 'local_write';
}

/** `../x` leaves the workspace; `a/../x` does not. */
function climbsOut(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '.' && part !== '') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** The whole machine, a whole home, or everything in one: nobody means to remove that. */
export const isEverything = ({ text }: Argument): boolean =>
  /^(?:\/+|\/+\*|~\/?|~\/\*|\$\{?HOME\}?\/?|\$\{?HOME\}?\/\*|\/(?:etc|usr|bin|sbin|lib|lib64|boot|var|home|root|opt|dev|proc|sys|System|Library|Users|Applications)\/*\*?|\.\.?\/\.\.(?:\/\.\.)*\/?)$/.test(
    text.replaceAll(/\/(?:\.\/)+/g, '/').replace(/\/\.$/, '/'),
  );

/** Where a command stands after `cd`: what is relative then is no longer in the workspace. */
export function folderAfter(target: Argument | undefined): 'workspace' | 'elsewhere' | 'everything' {
  if (target === undefined || isEverything(target)) return 'everything';
  return classOfWriting(target) === 'local_write' ? 'workspace' : 'elsewhere';
}
