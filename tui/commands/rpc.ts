import { methodNames, type MethodName } from '../../shared/contract.js';
import { RpcError } from '../../shared/errors.js';
import { exitCodes, type Register, UsageError } from '../cli.js';
import { readInput } from '../input.js';

export const registerRpc: Register = (program, cli) => {
  program
    .command('rpc <method> [params]')
    .description('one call: params and result as JSON (- reads the params from standard input)')
    .action(async (method: string, text: string | undefined) => {
      const params = parse(text === '-' ? await readInput('-') : (text ?? '{}'));
      try {
        if (!isMethod(method))
          throw new RpcError('method_not_found', `There is no method ${method}.`, {
            hint: `They are: ${methodNames.join(', ')}`,
          });
        cli.print(JSON.stringify(await (await cli.client()).call(method, params as never)));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        process.stderr.write(`${JSON.stringify({ code: error.code, message: error.message, data: error.data })}\n`);
        process.exitCode = exitCodes.failed;
      }
    });
};

const isMethod = (name: string): name is MethodName => (methodNames as string[]).includes(name);

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`The params are not valid JSON: ${(error as Error).message}`);
  }
}
