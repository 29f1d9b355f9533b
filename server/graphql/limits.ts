import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import { TooManyRequestsError } from '../domain/errors.ts'
import type { SharedSlots } from '../lib/limits.ts'

/** Half a point for a field of a loaded row, more for a field that has to be read; see `complexity` in the types. */
export const MAX_COST = 6_000
export const MAX_TOKENS = 1_000
export const MAX_QUERY_LENGTH = 20_000
export const MAX_IDS = 10_000

export const MAX_DEPTH = 10
export const MAX_ALIASES = 15
export const MAX_ROOT_FIELDS = 10
const MAX_DIRECTIVES = 50
const MAX_FIELDS = 1_000

/** Size of an operation with its fragments spread. */
type Shape = {
  readonly depth: number
  readonly fields: number
  readonly aliases: number
  readonly directives: number
  readonly rootFields: number
}

const EMPTY: Shape = { depth: 0, fields: 0, aliases: 0, directives: 0, rootFields: 0 }

/**
 * Validation rule: refuses operations that are too deep, too wide or too repetitive before they run.
 * Each fragment is measured once, so that fragments which spread each other many times are cheap to check.
 */
export function documentLimits(context: ValidationContext): ASTVisitor {
  const measure = createMeasure(context)
  return {
    OperationDefinition(operation) {
      const shape = measure(operation)
      report(context, operation, 'levels deep', shape.depth, MAX_DEPTH)
      report(context, operation, 'fields', shape.fields, MAX_FIELDS)
      report(context, operation, 'aliases', shape.aliases, MAX_ALIASES)
      report(context, operation, 'directives', shape.directives, MAX_DIRECTIVES)
      report(context, operation, 'fields at the top', shape.rootFields, MAX_ROOT_FIELDS)
    },
  }
}

function report(context: ValidationContext, node: OperationDefinitionNode, what: string, value: number, max: number) {
  if (value <= max) return
  const message = `This operation has ${Number.isFinite(value) ? value : 'endless'} ${what}; at most ${max} are allowed.`
  context.reportError(new GraphQLError(message, { nodes: node, extensions: { code: 'LIMIT_EXCEEDED' } }))
}

function createMeasure(context: ValidationContext): (operation: OperationDefinitionNode) => Shape {
  const known = new Map<string, Shape>()

  function ofFragment(name: string): Shape {
    const before = known.get(name)
    if (before) return before
    const fragment = context.getFragment(name)
    // Counts as empty while it is being measured: GraphQL's own rule reports recursive fragments.
    known.set(name, EMPTY)
    const shape = fragment ? ofNode(fragment) : EMPTY
    known.set(name, shape)
    return shape
  }

  function ofNode({ selectionSet, directives }: FragmentDefinitionNode | OperationDefinitionNode): Shape {
    const inner = ofSelections(selectionSet)
    return { ...inner, directives: inner.directives + (directives?.length ?? 0) }
  }

  function ofSelections({ selections }: SelectionSetNode): Shape {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return add(sum, ofField(selection), 1)
      const spread =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value)
          : ofSelections(selection.selectionSet)
      return add(add(sum, spread, spread.rootFields), { ...EMPTY, directives: selection.directives?.length ?? 0 }, 0)
    }, EMPTY)
  }

  function ofField({ name, alias, directives, selectionSet }: FieldNode): Shape {
    const inner = selectionSet ? ofSelections(selectionSet) : EMPTY
    return {
      // Introspection is limited by GraphQL's own rule; tools query types deeper than any of our data.
      depth: name.value.startsWith('__') ? 0 : inner.depth + 1,
      fields: inner.fields + 1,
      aliases: inner.aliases + (alias ? 1 : 0),
      directives: inner.directives + (directives?.length ?? 0),
      rootFields: 0,
    }
  }

  return ofNode
}

function add(left: Shape, right: Shape, rootFields: number): Shape {
  return {
    depth: Math.max(left.depth, right.depth),
    fields: left.fields + right.fields,
    aliases: left.aliases + right.aliases,
    directives: left.directives + right.directives,
    rootFields: left.rootFields + rootFields,
  }
}

export const MAX_STREAMS_PER_USER = 5
const RETRY_AFTER_SECONDS = 10

export type StreamCount = {
  /** Counts one more live stream of a user; call the returned function once when it ends. @throws TooManyRequestsError */
  open(userId: string): Promise<() => void>
}

/** Counts over all servers with `slots`, and in this process without. */
export function createStreamCount(slots: Pick<SharedSlots, 'tryTake'> | null): StreamCount {
  const live = new Map<string, number>()
  return {
    async open(userId) {
      if (slots) {
        const leave = await slots.tryTake(`stream:${userId}`, MAX_STREAMS_PER_USER)
        if (!leave) throw tooManyStreams()
        return leave
      }
      const count = live.get(userId) ?? 0
      if (count >= MAX_STREAMS_PER_USER) throw tooManyStreams()
      live.set(userId, count + 1)
      return () => {
        const left = (live.get(userId) ?? 1) - 1
        if (left === 0) live.delete(userId)
        else live.set(userId, left)
      }
    },
  }
}

function tooManyStreams(): TooManyRequestsError {
  return new TooManyRequestsError(RETRY_AFTER_SECONDS, 'Too many live streams are open.')
}
