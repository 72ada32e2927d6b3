#!/usr/bin/env node
/** The command line: `cairn`. No command on a terminal follows the newest session of this folder. */
import { Command, CommanderError } from 'commander';
import { version } from '../shared/version.js';
import { Cli, exitCodes, explainFailure, type Register, UsageError } from './cli.js';
import { registerAdd } from './commands/add.js';
import { registerCancel } from './commands/cancel.js';
import { registerClear } from './commands/clear.js';
import { registerCompletion } from './commands/completion.js';
import { registerDaemon } from './commands/daemon.js';
import { registerDemo } from './commands/demo.js';
import { registerDiff } from './commands/diff.js';
import { registerDoctor } from './commands/doctor.js';
import { registerDone } from './commands/done.js';
import { registerEdit } from './commands/edit.js';
import { registerExplain } from './commands/explain.js';
import { registerExport } from './commands/export.js';
import { registerFinish } from './commands/finish.js';
import { registerFire } from './commands/fire.js';
import { registerImport } from './commands/import.js';
import { registerInbox } from './commands/inbox.js';
import { registerList } from './commands/list.js';
import { registerLog } from './commands/log.js';
import { registerMove } from './commands/move.js';
import { registerNew } from './commands/new.js';
import { registerPause } from './commands/pause.js';
import { registerPlan } from './commands/plan.js';
import { registerReopen } from './commands/reopen.js';
import { registerReport } from './commands/report.js';
import { registerRetry } from './commands/retry.js';
import { registerRevert } from './commands/revert.js';
import { registerRm } from './commands/rm.js';
import { registerRpc } from './commands/rpc.js';
import { registerRun } from './commands/run.js';
import { registerShow } from './commands/show.js';
import { registerSkip } from './commands/skip.js';
import { registerTree } from './commands/tree.js';
import { registerWatch } from './commands/watch.js';
import { openScreen } from './open-screen.js';

const commands: readonly Register[] = [
  registerNew,
  registerPlan,
  registerFire,
  registerList,
  registerShow,
  registerWatch,
  registerLog,
  registerReport,
  registerTree,
  registerDiff,
  registerRevert,
  registerAdd,
  registerEdit,
  registerMove,
  registerDone,
  registerSkip,
  registerReopen,
  registerRm,
  registerClear,
  registerRun,
  registerPause,
  registerCancel,
  registerRetry,
  registerExplain,
  registerFinish,
  registerInbox,
  registerExport,
  registerImport,
  registerRpc,
  registerDaemon,
  registerDoctor,
  registerDemo,
  registerCompletion,
];

async function main(args: readonly string[]): Promise<void> {
  const cli = new Cli(process.env);
  const program = new Command('cairn')
    .description('Plans that a daemon runs, leaf by leaf, and picks up after a crash.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(cairn --help lists the commands)')
    // Otherwise a mistyped command is told as a superfluous argument.
    .allowExcessArguments()
    .action(() => {
      const [unknown] = program.args;
      if (unknown !== undefined) throw new UsageError(`There is no command ${unknown}. See: cairn --help`);
      return openScreen(cli);
    });
  for (const register of commands) register(program, cli);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    else process.exitCode = explainFailure(error, args.includes('--json'));
  } finally {
    cli.close();
  }
}

// Whoever reads our output may have seen enough (`cairn log | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

await main(process.argv.slice(2));
