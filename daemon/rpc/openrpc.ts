/** The OpenRPC 1.2.6 document, made from the contract. Schemas are draft-7 JSON Schema. */
import { z } from 'zod';
import { methodNames, methods, notifications } from '../../shared/contract.js';
import { errorCodes } from '../../shared/errors.js';

type Json = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' });
  return json;
}

/** Params by name: one content descriptor for each property of the params object. */
function paramsOf(schema: z.ZodType): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({ name, required: required.includes(name), schema: property }));
}

export function createOpenRpc(version: string): Json {
  return {
    openrpc: '1.2.6',
    info: {
      title: 'Cairn',
      version,
      description: 'A daemon that owns plans, runs them leaf by leaf, and picks up where it was after a crash.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    methods: methodNames.map((name) => {
      const { doc, params, result, errors } = methods[name];
      return {
        name,
        summary: doc,
        paramStructure: 'by-name',
        params: paramsOf(params),
        result: { name: 'result', schema: schemaOf(result, 'output') },
        errors: errors.map((kind) => ({ code: errorCodes[kind], message: kind })),
      };
    }),
    'x-notifications': Object.entries(notifications).map(([name, { doc, params }]) => ({
      name,
      summary: doc,
      params: schemaOf(params, 'output'),
    })),
  };
}
