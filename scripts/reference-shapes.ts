/** Schemas of the contract as people read them: `{title: string, note?: string, items: Item[]}`. */
import { z } from 'zod';
import { eventSchema, eventTypes } from '../shared/event.js';
import * as mission from '../shared/mission.js';
import * as plan from '../shared/plan.js';
import * as run from '../shared/run.js';
import { daemonStatusSchema, sessionSchema, snapshotSchema } from '../shared/session.js';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Shapes that are told once, by name, wherever they stand. The first group is written by clients, the second read. */
const writtenShapes = {
  ItemText: plan.itemTextSchema,
  NewItem: plan.newItemSchema,
  PlanEntry: plan.planEntrySchema,
  Policy: mission.policySchema,
};
const readShapes = {
  Session: sessionSchema,
  Counts: plan.countsSchema,
  Item: plan.itemSchema,
  ListedItem: plan.listedItemSchema,
  ItemChange: plan.itemChangeSchema,
  Revision: plan.revisionSchema,
  PlanRun: run.planRunSchema,
  Liveness: run.livenessSchema,
  Run: run.runSchema,
  Usage: run.usageSchema,
  Message: run.messageSchema,
  ToolCall: run.toolCallSchema,
  Effect: run.effectSchema,
  Receipt: run.receiptSchema,
  Step: run.stepSchema,
  Explanation: run.explanationSchema,
  Report: mission.reportSchema,
  Handover: mission.handoverSchema,
  InboxEntry: mission.inboxEntrySchema,
  Snapshot: snapshotSchema,
  Event: eventSchema,
  DaemonStatus: daemonStatusSchema,
};

/** Enumerations that stand in many places. */
const namedValues: Record<string, readonly string[]> = {
  PlanRunStatus: run.planRunStatuses,
  RunStatus: run.runStatuses,
  RunKind: run.runKinds,
  ItemStatus: plan.itemStatuses,
  Author: plan.authors,
  EffectClass: run.effectClasses,
  InboxKind: mission.inboxKinds,
  EventType: eventTypes,
};

type Direction = 'input' | 'output';

const registries = {
  input: registryOf(writtenShapes),
  output: registryOf(readShapes),
} satisfies Record<Direction, unknown>;

function registryOf(shapes: Record<string, z.ZodType>) {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shapes)) registry.add(schema, { id });
  return registry;
}

/** The named shapes with their fields, in the order in which they are told. */
export function namedShapes(): [name: string, shape: string][] {
  const told = (shapes: Record<string, z.ZodType>, direction: Direction): [string, string][] =>
    Object.entries(shapes).map(([name, schema]) => [name, render(fieldsOf(name, schema, direction), lineWidth, '')]);
  const values = Object.entries(namedValues).map(([name, each]): [string, string] => [name, unionOf(each, lineWidth)]);
  return [...told(writtenShapes, 'input'), ...told(readShapes, 'output'), ...values];
}

const lineWidth = 110;

/** A schema in one line, or with a line for each field when that is longer than `width`. `input`: as a caller writes it. */
export function shapeOf(schema: z.ZodType, direction: Direction, width = lineWidth): string {
  return render(toJson(schema, direction), width, '');
}

function toJson(schema: z.ZodType, direction: Direction): JsonSchema & { definitions?: Record<string, JsonSchema> } {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: direction,
    metadata: registries[direction],
    unrepresentable: 'any',
  }) as never;
}

/** A named schema is a mere reference to its definition; its fields are told under its own name only. */
function fieldsOf(name: string, schema: z.ZodType, direction: Direction): JsonSchema {
  const json = toJson(schema, direction);
  return json.definitions?.[name] ?? json;
}

function render(schema: JsonSchema, width: number, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return nameOf(schema.enum) ?? schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.allOf?.[0]) return render(schema.allOf[0], width, indent);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => render(each, width, indent)))].join(' | ');
  const { type } = schema;
  if (typeof type === 'object') return type.map((each) => render({ ...schema, type: each }, width, indent)).join(' | ');
  switch (type) {
    case 'array': {
      const item = render(schema.items ?? {}, width, indent);
      return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return renderObject(schema, width, indent);
    case 'integer':
    case 'number':
      return type + rangeOf(schema);
    case undefined:
      return 'any';
    default:
      return type;
  }
}

function renderObject({ properties, required = [], additionalProperties }: JsonSchema, width: number, indent: string): string {
  if (!properties) {
    return typeof additionalProperties === 'object' ? `{[name]: ${render(additionalProperties, width, indent)}}` : 'object';
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${render(schema, width, inner)}`,
  );
  const line = `{${fields.join(', ')}}`;
  if (indent.length + line.length <= width && !line.includes('\n')) return line;
  return `{\n${fields.map((field) => inner + field).join('\n')}\n${indent}}`;
}

/** The bounds that were set; those of every safe integer are left out. */
function rangeOf({ type, minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least = minimum ?? (exclusiveMinimum !== undefined && type === 'integer' ? exclusiveMinimum + 1 : exclusiveMinimum);
  const from = least === undefined || least === Number.MIN_SAFE_INTEGER ? '' : String(least);
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : String(maximum);
  return from === '' && to === '' ? '' : ` ${from}…${to}`;
}

function nameOf(values: readonly unknown[]): string | undefined {
  const text = JSON.stringify(values);
  return Object.keys(namedValues).find((name) => JSON.stringify(namedValues[name]) === text);
}

/** In one line, or with as many to a line as fit. */
function unionOf(values: readonly string[], width: number): string {
  const lines = [''];
  for (const value of values) {
    const last = lines.at(-1) ?? '';
    const longer = `${last}${last === '' ? '' : ' | '}${JSON.stringify(value)}`;
    if (longer.length > width) lines.push(JSON.stringify(value));
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n| ');
}
