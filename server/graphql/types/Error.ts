import {
  AccountConnectedError,
  AuthorizationFailedError,
  ConflictError,
  ContentUnavailableError,
  type DomainError,
  type FieldError as DomainFieldError,
  FilesWouldBeLostError,
  FolderCycleError,
  InvalidInputError,
  InvalidTokenError,
  NameTakenError,
  NotAdministratorError,
  NotFoundError,
  OtherLoginError,
  PreconditionFailedError,
  ProviderFailedError,
  ProviderUnavailableError,
  RegistrationClosedError,
  StorageFullError,
  TooManyRequestsError,
  TypeRefusedError,
  UnauthenticatedError,
  WrongPasswordError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'

const ErrorInterface = builder.interfaceRef<DomainError>('Error').implement({
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Machine-readable and stable; docs/api.md lists all codes.' }),
    message: t.exposeString('message', { description: 'Human-readable.' }),
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
  fields: (t) => ({
    neededBytes: t.expose('neededBytes', { type: 'BigInt' }),
    freeBytes: t.expose('freeBytes', { type: 'BigInt' }),
  }),
})

builder.objectType(TooManyRequestsError, {
  name: 'TooManyRequestsError',
  interfaces,
  fields: (t) => ({ retryAfterSeconds: t.exposeInt('retryAfterSeconds') }),
})

builder.objectType(UnauthenticatedError, { name: 'UnauthenticatedError', interfaces })
builder.objectType(WrongPasswordError, { name: 'WrongPasswordError', interfaces })
builder.objectType(NotFoundError, { name: 'NotFoundError', interfaces })
builder.objectType(InvalidTokenError, { name: 'InvalidTokenError', interfaces })
builder.objectType(RegistrationClosedError, { name: 'RegistrationClosedError', interfaces })
builder.objectType(NotAdministratorError, { name: 'NotAdministratorError', interfaces })
builder.objectType(PreconditionFailedError, {
  name: 'PreconditionFailedError',
  description: 'The entry has changed since the `ifMatch` that was sent.',
  interfaces,
})
builder.objectType(FolderCycleError, { name: 'FolderCycleError', interfaces })
builder.objectType(ContentUnavailableError, { name: 'ContentUnavailableError', interfaces })
builder.objectType(TypeRefusedError, { name: 'TypeRefusedError', interfaces })
builder.objectType(FilesWouldBeLostError, {
  name: 'FilesWouldBeLostError',
  interfaces,
  fields: (t) => ({ lostFiles: t.exposeInt('lostFiles'), lostBytes: t.expose('lostBytes', { type: 'BigInt' }) }),
})

builder.objectType(ProviderUnavailableError, { name: 'ProviderUnavailableError', interfaces })
builder.objectType(ProviderFailedError, { name: 'ProviderFailedError', interfaces })
builder.objectType(AuthorizationFailedError, { name: 'AuthorizationFailedError', interfaces })
builder.objectType(AccountConnectedError, { name: 'AccountConnectedError', interfaces })
builder.objectType(OtherLoginError, { name: 'OtherLoginError', interfaces })

/** Conflicts with a more specific type. */
const OWN_TYPE = [AccountConnectedError, OtherLoginError, FilesWouldBeLostError]

builder.objectType(ConflictError, {
  name: 'ConflictError',
  interfaces,
  isTypeOf: (error) => error instanceof ConflictError && !OWN_TYPE.some((type) => error instanceof type),
})
