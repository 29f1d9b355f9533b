import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql'
import { type Access, requireAccess } from '../domain/viewer.ts'
import type { Context } from './context.ts'

declare module 'graphql' {
  // The type parameters must have the names of the extended interface.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Scope that an API key needs for this field, like `config.scope` of a REST route. Default: WRITE for mutations, READ for queries and subscriptions. */
    scope?: Access
  }
}

type Field = GraphQLField<unknown, Context>
type Extended = { readonly extensions: { readonly scope?: Access } }

/** Scope that an API key needs for a field; null below the root fields, whose own scope was checked. */
export function accessOfField(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { extensions: { scope } }: Extended,
): Access | null {
  if (scope) return scope
  if (type === schema.getMutationType()) return 'WRITE'
  return type === schema.getQueryType() || type === schema.getSubscriptionType() ? 'READ' : null
}

/** Wraps every resolver with the scope check of its field. Returns the same schema, changed. */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const access = accessOfField(schema, type, field)
      if (access) guard(field, access)
    }
  }
  return schema
}

function guard(field: Field, access: Access): void {
  const { resolve = defaultFieldResolver, subscribe } = field
  field.resolve = (source, args, context, info) => {
    check(context, access)
    return resolve(source, args, context, info)
  }
  if (!subscribe) return
  field.subscribe = (source, args, context, info) => {
    check(context, access)
    return subscribe(source, args, context, info)
  }
}

/** @throws KeyRefusedError */
function check(context: Context, access: Access): void {
  const viewer = context.viewer()
  if (viewer) requireAccess(viewer, access)
}
