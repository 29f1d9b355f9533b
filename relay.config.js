const config = {
  src: '.',
  excludes: [
    '**/node_modules/**',
    'server/**',
    'tests/server/**',
    'tests/setup/**',
    'tests/e2e/**',
    'tests/tools/**',
    'tests/fakes/**',
    'dist/**',
    'data/**',
    '.cache/**',
    '**/__generated__/**',
  ],
  schema: './schema.graphql',
  language: 'typescript',
  artifactDirectory: './web/__generated__',
  eagerEsModules: true,
  customScalarTypes: { BigInt: 'number', DateTime: 'string', Upload: 'File' },
  persistConfig: { file: './web/__generated__/persisted.json', algorithm: 'SHA256' },
}

export { config as 'module.exports' }
