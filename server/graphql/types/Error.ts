import {
  ConflictError,
  type DomainError,
  type FieldError as DomainFieldError,
  FolderCycleError,
  InvalidInputError,
  NameTakenError,
  NotFoundError,
  StorageFullError,
  TooManyRequestsError,
  TypeRefusedError,
  UnauthenticatedError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'

const ErrorInterface = builder.interfaceRef<DomainError>('Error').implement({
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable, for programs; the README lists them all.' }),
    message: t.exposeString('message', { description: 'For people.' }),
  }),
})

const FieldError = builder.objectRef<DomainFieldError>('FieldError').implement({
  fields: (t) => ({ path: t.exposeString('path'), message: t.exposeString('message') }),
})

const interfaces = [ErrorInterface]

builder.objectType(InvalidInputError, {
  name: 'InvalidInputError',
  interfaces,
  fields: (t) => ({ fields: t.field({ type: [FieldError], resolve: (error) => [...error.fields] }) }),
})

builder.objectType(NameTakenError, {
  name: 'NameTakenError',
  interfaces,
  fields: (t) => ({ name: t.exposeString('taken') }),
})

builder.objectType(StorageFullError, {
  name: 'StorageFullError',
  interfaces,
  fields: (t) => ({ neededBytes: t.exposeFloat('neededBytes'), freeBytes: t.exposeFloat('freeBytes') }),
})

builder.objectType(TooManyRequestsError, {
  name: 'TooManyRequestsError',
  interfaces,
  fields: (t) => ({ retryAfterSeconds: t.exposeInt('retryAfterSeconds') }),
})

builder.objectType(UnauthenticatedError, { name: 'UnauthenticatedError', interfaces })
builder.objectType(NotFoundError, { name: 'NotFoundError', interfaces })
builder.objectType(FolderCycleError, { name: 'FolderCycleError', interfaces })
builder.objectType(TypeRefusedError, { name: 'TypeRefusedError', interfaces })
builder.objectType(ConflictError, { name: 'ConflictError', interfaces })
