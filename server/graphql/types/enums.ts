import { GLYPHS, type Glyph } from '../../domain/accounts/catalogue.ts'
import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import { REPORT_REASONS } from '../../domain/shares/contract.ts'
import { builder } from '../builder.ts'

export const ReportReason = builder.enumType('ReportReason', {
  description: 'Why a visitor objects to a public link.',
  values: REPORT_REASONS,
})

export const FileKind = builder.enumType('FileKind', { values: ['FILE', 'FOLDER'] as const })

export const FileCategory = builder.enumType('FileCategory', { values: FILE_CATEGORIES })

export const FileState = builder.enumType('FileState', {
  values: ['RECEIVED', 'STORING', 'STORED', 'AT_RISK'] as const,
})

export const PieceState = builder.enumType('PieceState', { values: ['PLANNED', 'STORED'] as const })

export const CopyState = builder.enumType('CopyState', { values: ['STORING', 'STORED', 'MISSING'] as const })

export const ProviderGlyph = builder.enumType('ProviderGlyph', {
  description: 'A shape that stands for a provider.',
  values: Object.fromEntries(
    GLYPHS.map((glyph) => [glyph, { description: `Drawn as: ${glyph.toLowerCase()}.` }]),
  ) as Record<Glyph, { description: string }>,
})

export const ConnectsBy = builder.enumType('ConnectsBy', {
  description: 'How accounts of a provider are connected.',
  values: {
    OAUTH: { description: 'In a window of the provider: `authorizeAccount`, then `connectAccount`.' },
    FORM: { description: 'By what is typed into its `fields`: `connectAccountByForm`.' },
  } as const,
})

export const AccountStatus = builder.enumType('AccountStatus', { values: ['CONNECTED', 'EXPIRED'] as const })

export const PlacementRule = builder.enumType('PlacementRule', {
  values: ['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'] as const,
})

export const OnConflict = builder.enumType('OnConflict', { values: ['RENAME', 'REPLACE', 'FAIL'] as const })

export const FileView = builder.enumType('FileView', {
  values: ['ALL', 'DRIVE', 'SHARED', 'STARRED', 'TRASH'] as const,
})

const FileSortField = builder.enumType('FileSortField', { values: ['NAME', 'MODIFIED', 'SIZE'] as const })

const SortDirection = builder.enumType('SortDirection', { values: ['ASC', 'DESC'] as const })

export const FileSort = builder.inputType('FileSort', {
  fields: (t) => ({
    field: t.field({ type: FileSortField, required: true }),
    direction: t.field({ type: SortDirection, required: true }),
  }),
})

export const TransferKind = builder.enumType('TransferKind', { values: ['STORE', 'REPAIR', 'MOVE', 'DRAIN'] as const })

export const TransferState = builder.enumType('TransferState', {
  values: ['WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'DONE', 'FAILED', 'CANCELLED'] as const,
})
