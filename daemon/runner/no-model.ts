/** Said wherever a model is needed and none is configured. */
export const noModelReason =
  'No model is configured. Set CAIRN_MODEL (and OPENAI_API_KEY, or OPENAI_BASE_URL for a local server), or "model" in config.json, then `cairn daemon stop` (the next command starts it with the new settings) and start again.';
