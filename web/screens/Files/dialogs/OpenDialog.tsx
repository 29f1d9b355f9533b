import { lazy, useCallback } from 'react'
import { useFileManager } from '../FilesContext.ts'

const MoveDialog = lazy(() => import('./MoveDialog.tsx').then((file) => ({ default: file.MoveDialog })))
const GroupCloudMoveDialog = lazy(() =>
  import('./GroupCloudMoveDialog.tsx').then((file) => ({ default: file.GroupCloudMoveDialog })),
)
const FileTagsDialog = lazy(() => import('./FileTagsDialog.tsx').then((file) => ({ default: file.FileTagsDialog })))
const ProtectDialog = lazy(() => import('./ProtectDialog.tsx').then((file) => ({ default: file.ProtectDialog })))
const DeleteDialog = lazy(() => import('./DeleteDialog.tsx').then((file) => ({ default: file.DeleteDialog })))
const EmptyTrashDialog = lazy(() => import('./DeleteDialog.tsx').then((file) => ({ default: file.EmptyTrashDialog })))
const ShareDialog = lazy(() =>
  import('../../../features/Share/ShareDialog.tsx').then((file) => ({ default: file.ShareDialog })),
)
const UploadLinkDialog = lazy(() =>
  import('../../../features/UploadLinks/UploadLinkDialog.tsx').then((file) => ({ default: file.UploadLinkDialog })),
)
const AccountDialog = lazy(() =>
  import('../../../features/Connect/AccountDialog.tsx').then((file) => ({ default: file.AccountDialog })),
)
const NewDocumentDialog = lazy(() =>
  import('./NewDocumentDialog.tsx').then((file) => ({ default: file.NewDocumentDialog })),
)
const ColumnsDialog = lazy(() => import('./ColumnsDialog.tsx').then((file) => ({ default: file.ColumnsDialog })))
const ShortcutsDialog = lazy(() => import('./ShortcutsDialog.tsx').then((file) => ({ default: file.ShortcutsDialog })))

/** The dialog that is open. The code of each is loaded with it. */
export function OpenDialog() {
  const { panels } = useFileManager()
  const { dialog } = panels
  const { set } = panels
  const onClose = useCallback(() => set({ dialog: null }), [set])
  if (dialog?.kind === 'move' || dialog?.kind === 'copy') {
    return <MoveDialog kind={dialog.kind} ids={dialog.ids} onClose={onClose} />
  }
  if (dialog?.kind === 'groupCloud') return <GroupCloudMoveDialog ids={dialog.ids} onClose={onClose} />
  if (dialog?.kind === 'tags') return <FileTagsDialog ids={dialog.ids} onClose={onClose} />
  if (dialog?.kind === 'delete') return <DeleteDialog ids={dialog.ids} onClose={onClose} />
  if (dialog?.kind === 'share') return <ShareDialog fileId={dialog.id} name={dialog.name} onClose={onClose} />
  if (dialog?.kind === 'uploadLink') {
    return <UploadLinkDialog folderId={dialog.id} name={dialog.name} onClose={onClose} />
  }
  if (dialog?.kind === 'protect') return <ProtectDialog id={dialog.id} name={dialog.name} onClose={onClose} />
  if (dialog?.kind === 'account') {
    return <AccountDialog accountId={dialog.id} action={dialog.action} onClose={onClose} />
  }
  if (dialog?.kind === 'emptyTrash') return <EmptyTrashDialog onClose={onClose} />
  if (dialog?.kind === 'newDocument') return <NewDocumentDialog ending={dialog.ending} onClose={onClose} />
  if (dialog?.kind === 'columns') return <ColumnsDialog onClose={onClose} />
  return <ShortcutsDialog onClose={onClose} />
}
