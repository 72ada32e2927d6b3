/** Where the files of a home are: pure, so that daemon and client agree. */

export interface BaseFolders {
  readonly config: string;
  readonly data: string;
  readonly log: string;
}

export interface HomeFiles {
  /** What `daemon.status` calls the home. */
  readonly home: string;
  readonly config: string;
  readonly database: string;
  readonly socket: string;
  readonly daemon: string;
  readonly lock: string;
  readonly token: string;
  readonly logs: string;
  /** Outputs of commands that were too long for a result. */
  readonly outputs: string;
}

/** `CAIRN_HOME` puts everything in one folder; without it the folders of the system are used. */
export function homeFiles(cairnHome: string | undefined, base: BaseFolders): HomeFiles {
  const home = cairnHome || base.data;
  return {
    home,
    config: `${cairnHome || base.config}/config.json`,
    database: `${home}/cairn.db`,
    socket: `${home}/daemon.sock`,
    daemon: `${home}/daemon.json`,
    lock: `${home}/daemon.lock`,
    token: `${home}/token`,
    logs: cairnHome ? `${cairnHome}/logs` : base.log,
    outputs: `${home}/outputs`,
  };
}
