import {
  ArrowRightLeft,
  Copy,
  Download,
  FolderPlus,
  Inbox,
  KeyRound,
  Layers,
  LogIn,
  type LucideIcon,
  Palette,
  Pencil,
  Plug,
  RotateCcw,
  Share2,
  Star,
  Tags,
  Trash2,
  Upload,
} from 'lucide-react'

/** The first matching prefix wins. */
const ICONS: readonly (readonly [string, LucideIcon])[] = [
  ['FILE_UPLOADED', Upload],
  ['FILE_DOWNLOADED', Download],
  ['FILE_RENAMED', Pencil],
  ['FILE_MOVED', ArrowRightLeft],
  ['FILE_COPIED', Copy],
  ['FILE_STARRED', Star],
  ['FILE_UNSTARRED', Star],
  ['FILE_TAGGED', Tags],
  ['FILE_UNTAGGED', Tags],
  ['FOLDER_COLORED', Palette],
  ['FILE_RESTORED', RotateCcw],
  ['FILE_RECEIVED', Inbox],
  ['FILE_', Trash2],
  ['TRASH_', Trash2],
  ['FOLDER_', FolderPlus],
  ['SHARE_', Share2],
  ['UPLOAD_LINK_', Inbox],
  ['ACCOUNT_', Plug],
  ['GROUP_CLOUD_', Layers],
  ['MEMBER_', Layers],
  ['TRANSFER_', ArrowRightLeft],
  ['KEY_', KeyRound],
]

export function activityIcon(action: string): LucideIcon {
  return ICONS.find(([start]) => action.startsWith(start))?.[1] ?? LogIn
}
