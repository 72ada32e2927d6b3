/** Configuration as a daemon with this `config.json` has it. */
import { resolveConfig, type Config } from '../../daemon/config.js';

export function configOf(file: unknown = {}): Config {
  const config = resolveConfig({ flags: {}, environment: {}, global: { text: JSON.stringify(file), path: 'config.json' } });
  if (!config.ok) throw new Error(config.error.message);
  return config.value;
}
