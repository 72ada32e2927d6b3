/** What programs do by themselves, by name; those whose arguments matter have a rule in `program-rules.ts`. */
import type { EffectClass } from '../../../shared/run.js';

const names: Readonly<Partial<Record<EffectClass, string>>> = {
  safe: `: [ [[ trap ack alias ag awk b2sum basename bat bg break builtin cal cat cd cksum clear cmp column comm continue cut date declare df diff dig dirname dirs du echo egrep eval_ exit expand export expr factor false fc fgrep file fmt fold free getconf getopts grep groups hash hd head hexdump hostname htop id jobs join jq less let local locale logname look ls lsblk lscpu lsof man md5 md5sum more nl nm nproc numfmt objdump od otool paste pathchk pgrep popd pr printenv printf ps pushd pwd read readelf readlink readonly realpath return rev rg seq set sha1sum sha224sum sha256sum sha384sum sha512sum shasum shift shopt size sleep sort stat strings sum tac tail test time times tokei top tput tr trap tree true tsort tty type typeset tzselect ulimit umask uname unalias uniq units unset uptime users vmstat w wait wc whatis whereis which who whoami xxd yes yq zcat zgrep`,
  local_write: `bunzip2 bzip2 cp csplit gunzip gzip install ln lz4 mkdir mkfifo mktemp mv patch pax rename rmdir split tar tee touch truncate_ unxz unzip xz zip zstd 7z prettier dos2unix unix2dos`,
  install: `apk apt apt-get aptitude brew bundle cargo-install choco composer conda corepack dnf dpkg easy_install emerge flatpak gem mamba nix nix-env pacman pip pip2 pip3 pipx poetry port rpm snap uv winget yay yum zypper`,
  network_egress: `aria2c curl dig_ fetch ftp gh glab host http https ncftp nc ncat netcat nslookup ping rsync scp sftp socat ssh ssh-copy-id telnet traceroute wget whois xh aws gcloud az doctl flyctl fly heroku netlify vercel wrangler`,
  code_execution: `ant bazel bun cargo cc clang clang++ cmake ctest deno dotnet elixir erl esbuild eslint g++ gcc gdb go gradle gradlew guile java javac jest julia just kotlin ld lldb lua make meson mix mocha mvn mypy nim ninja node nodejs npm npx nyc ocaml perl php phpunit playwright pnpm pnpx pytest python python2 python3 R rake rspec ruby ruff rust-analyzer rustc sbt scala strace swift swiftc tox ts-node tsc tsx tsserver valgrind vite vitest webpack yarn zig sqlite3 psql mysql mongosh redis-cli`,
  system_write: `adduser addgroup chattr chgrp chmod_ chown deluser groupadd groupdel groupmod hostnamectl ifconfig insmod ip ip6tables iptables kexec ldconfig loginctl modprobe mount netplan nft passwd pkill kill killall renice rmmod route service setcap setenforce setfacl sysctl systemctl_ timedatectl ufw umount update-alternatives useradd userdel usermod visudo docker podman nerdctl ctr lxc virsh vagrant launchctl_ defaults xattr nsenter unshare chroot swapon swapoff`,
  persistence: `at atd batch chsh crontab launchctl systemd-run update-rc.d chkconfig`,
  destructive: `rm rmdir_ unlink_ dropdb fdisk_ shred srm truncate wipe wipefs_ kubectl_ halt poweroff reboot shutdown init telinit logrotate`,
  blocked: `fdisk cfdisk sfdisk gdisk parted wipefs mkswap`,
};

/** A name that ends in `_` is one whose rule is elsewhere, listed so that a reader finds it. */
export const classByName: ReadonlyMap<string, EffectClass> = new Map(
  Object.entries(names).flatMap(([effectClass, list]) =>
    list
      .split(/\s+/)
      .filter((name) => name !== '' && !name.endsWith('_'))
      .map((name) => [name, effectClass as EffectClass] as const),
  ),
);
