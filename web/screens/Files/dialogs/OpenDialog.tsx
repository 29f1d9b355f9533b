import { lateDialog } from '../../../ui/lateDialog.tsx'
import { useFileManager } from '../FilesContext.ts'

const MoveDialog = lateDialog(() => import('./MoveDialog.tsx').then((file) => file.MoveDialog))
const GroupCloudMoveDialog = lateDialog(() =>
  import('./GroupCloudMoveDialog.tsx').then((file) => file.GroupCloudMoveDialog),
)
const FileTagsDialog = lateDialog(() => import('./FileTagsDialog.tsx').then((file) => file.FileTagsDialog))
const ProtectDialog = lateDialog(() => import('./ProtectDialog.tsx').then((file) => file.ProtectDialog))
const DeleteDialog = lateDialog(() => import('./DeleteDialog.tsx').then((file) => file.DeleteDialog))
const EmptyTrashDialog = lateDialog(() => import('./DeleteDialog.tsx').then((file) => file.EmptyTrashDialog))
const ShareDialog = lateDialog(() => import('../../../features/Share/ShareDialog.tsx').then((file) => file.ShareDialog))
const UploadLinkDialog = lateDialog(() =>
  import('../../../features/UploadLinks/UploadLinkDialog.tsx').then((file) => file.UploadLinkDialog),
)
const AccountDialog = lateDialog(() =>
  import('../../../features/Connect/AccountDialog.tsx').then((file) => file.AccountDialog),
)
const NewDocumentDialog = lateDialog(() => import('./NewDocumentDialog.tsx').then((file) => file.NewDocumentDialog))
const ColumnsDialog = lateDialog(() => import('./ColumnsDialog.tsx').then((file) => file.ColumnsDialog))
const ShortcutsDialog = lateDialog(() => import('./ShortcutsDialog.tsx').then((file) => file.ShortcutsDialog))

/** The dialog that is open. The code of each is loaded with it. */
export function OpenDialog({ onClose }: { onClose: () => void }) {
  const { panels } = useFileManager()
  const { dialog } = panels
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
