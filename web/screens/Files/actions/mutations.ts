// The changes of files at the server, as one module: it is loaded with the first change, and not with the list.

export { restoreFiles, trashFiles } from '../../../features/FileChanges/trashFiles.ts'
export { changeFiles } from './changeFiles.ts'
export { copyFiles } from './copyFiles.ts'
export { createFolder } from './createFolder.ts'
export { deleteFiles } from './deleteFiles.ts'
export { emptyTrash } from './emptyTrash.ts'
export { originsOf } from './fileParents.ts'
export { moveFiles } from './moveFiles.ts'
export { moveToGroupCloud } from './moveToGroupCloud.ts'
export { renameFile } from './renameFile.ts'
export { starFiles } from './starFiles.ts'
