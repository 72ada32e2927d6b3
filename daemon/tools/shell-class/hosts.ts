/** The hosts that a command names: in addresses, and in the places of ssh, scp, rsync and git. */
import type { Argument } from './words.js';

const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?(\[[0-9a-f:]+\]|[^\s/:?#]+)/i;
const remotePath = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+|localhost):(?!\/\/)/;

/** Each operand of these is an address, with or without its scheme. */
const byAddress = /^(?:curl|wget|http|https|xh|aria2c|nc|ncat|netcat|socat)$/;
/** `host:path` stands for a place on another machine, whatever the name of the host looks like. */
const byRemotePath = /^(?:scp|rsync|sftp|git|hg)$/;
const anyRemotePath = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/;
/** They send the request elsewhere than its address says. */
const elsewhere =
  /^(?:--(?:connect-to|resolve|proxy|proxy1\.0|preproxy|socks\w*|config|input-file|unix-socket|abstract-unix-socket)(?:=|$)|-[a-zA-Z]*[xKi]$)/;
export const unknownHost = '(unknown)';

/** Lower case; `(unknown)` for what only the run will show. */
export function hostsIn(program: string, args: readonly Argument[]): string[] {
  const isAddressed = byAddress.test(program);
  const hosts = args.flatMap(({ text, isDynamic }) => {
    const plain = text.replace(/^-{1,2}[\w-]+=/, '');
    const host =
      address.exec(plain)?.[1] ??
      remotePath.exec(text)?.[1] ??
      (byRemotePath.test(program) ? anyRemotePath.exec(text)?.[1] : undefined) ??
      (isAddressed && !text.startsWith('-') && !isDynamic ? text.replace(/^.*@/, '').replace(/[/:?#].*$/, '') : undefined);
    return host === undefined || host === '' ? [] : [host.toLowerCase()];
  });
  return isAddressed && args.some(({ text }) => elsewhere.test(text)) ? [...hosts, unknownHost] : hosts;
}

/** `ssh ada@host`, `ping host`: the first word is the host. */
export const bareHost = (arg: Argument | undefined): string[] =>
  arg === undefined || arg.isDynamic ? [] : [arg.text.replace(/^.*@/, '').replace(/:.*$/, '').toLowerCase()];
