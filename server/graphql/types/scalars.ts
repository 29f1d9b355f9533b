import { GraphQLError } from 'graphql'
import { Upload } from 'graphql-upload-minimal'
import { isoTime } from '../../lib/format.ts'
import { builder } from '../builder.ts'

builder.scalarType('DateTime', {
  description: 'A date-time in UTC, ISO 8601.',
  serialize: isoTime,
  parseValue: (value) => {
    const date = new Date(typeof value === 'string' ? value : Number.NaN)
    if (Number.isNaN(date.getTime())) throw new GraphQLError('A date-time must be an ISO 8601 text.')
    return date
  },
})

builder.scalarType('BigInt', {
  description: 'A whole number of bytes as a JSON number; can exceed 32 bits.',
  serialize: (value) => {
    const number = Number(value)
    if (!Number.isFinite(number)) throw new GraphQLError('A number of bytes must be a number.')
    return Math.trunc(number)
  },
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    throw new GraphQLError('A number of bytes must be a whole number.')
  },
})

builder.scalarType('Upload', {
  description: 'A file of a GraphQL multipart request.',
  serialize: () => {
    throw new GraphQLError('Files are downloaded by URL.')
  },
  parseValue: (value) => {
    // readMultipart has waited for it.
    if (value instanceof Upload && value.file) return value.file
    throw new GraphQLError('A file must be sent in a multipart request.')
  },
  parseLiteral: () => {
    throw new GraphQLError('A file must be a variable.')
  },
})
