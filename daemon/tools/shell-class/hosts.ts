/** The hosts that a command names: in addresses, and in the places of ssh, scp, rsync and git. */
import type { Argument } from './words.js';

const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?(\[[0-9a-f:]+\]|[^\s/:?#]+)/i;
const remotePath = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+|localhost):(?!\/\/)/;

export function hostsIn(args: readonly Argument[]): string[] {
  return args.flatMap(({ text }) => {
    const host = address.exec(text.replace(/^-{1,2}[\w-]+=/, ''))?.[1] ?? remotePath.exec(text)?.[1];
    return host === undefined ? [] : [host.toLowerCase()];
  });
}

/** `ssh ada@host`, `ping host`: the first word is the host. */
export const bareHost = (arg: Argument | undefined): string[] =>
  arg === undefined || arg.isDynamic ? [] : [arg.text.replace(/^.*@/, '').replace(/:.*$/, '').toLowerCase()];
