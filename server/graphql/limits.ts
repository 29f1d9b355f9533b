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
import { InvalidInputError } from '../domain/errors.ts'

/** Half a point for a field that a row holds, more for what has to be read; see the types' `complexity`. */
export const MAX_COST = 5_000
export const MAX_TOKENS = 1_000
export const MAX_QUERY_LENGTH = 20_000
export const MAX_PAGE = 200
export const DEFAULT_PAGE = 50
export const MAX_IDS = 10_000

export const MAX_DEPTH = 10
export const MAX_ALIASES = 15
export const MAX_ROOT_FIELDS = 10
const MAX_DIRECTIVES = 50
const MAX_FIELDS = 1_000

/** What an operation comes to once its fragments are spread. */
type Shape = {
  readonly depth: number
  readonly fields: number
  readonly aliases: number
  readonly directives: number
  readonly rootFields: number
}

const EMPTY: Shape = { depth: 0, fields: 0, aliases: 0, directives: 0, rootFields: 0 }

/**
 * Validation rule: refuses operations that are too deep, too wide or too repetitive before any of it runs.
 * Each fragment is measured once, so fragments that spread each other many times cost no time here.
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
    // Counts as empty while it is being measured: GraphQL's own rule reports a fragment that spreads itself.
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
      // Introspection is limited by GraphQL's own rule; tools ask for types nested deeper than any data of ours.
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

/** How many entries of a page are asked for. @throws InvalidInputError */
export function checkedPage(first: number | null | undefined): number {
  const limit = first ?? DEFAULT_PAGE
  if (limit >= 1 && limit <= MAX_PAGE) return limit
  throw new InvalidInputError([{ path: 'first', message: `A page has 1 to ${MAX_PAGE} entries.` }])
}
