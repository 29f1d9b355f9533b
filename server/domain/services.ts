import type { AccountsService } from './accounts/contract.ts'
import type { ActivityService } from './activity/contract.ts'
import type { ChangesService } from './changes/service.ts'
import type { DuplicatesService } from './duplicates/contract.ts'
import type { FileJobsService } from './fileJobs/contract.ts'
import type { FilesService } from './files/contract.ts'
import type { GroupCloudsService } from './groupClouds/contract.ts'
import type { InPlaceService } from './inPlace/service.ts'
import type { KeysService } from './keys/contract.ts'
import type { ProtectionService } from './protection/contract.ts'
import type { RoomService } from './room/service.ts'
import type { SearchService } from './search/service.ts'
import type { SharesService } from './shares/contract.ts'
import type { TagsService } from './tags/service.ts'
import type { TelegramService } from './telegram/service.ts'
import type { ThumbnailsService } from './thumbnails/service.ts'
import type { TransfersService } from './transfers/contract.ts'
import type { UploadLinksService } from './uploadLinks/contract.ts'
import type { UploadsService } from './uploads/contract.ts'
import type { AdministrationService } from './users/administration.ts'
import type { PeopleService, RecoveryService, UsersService } from './users/contract.ts'
import type { VersionsService } from './versions/service.ts'

/**
 * The services of the domain, for GraphQL, REST and jobs. Ids are database ids (UUID), sizes are numbers of bytes, times are Dates.
 * The services check access: objects of other users throw NotFoundError.
 */
export type Services = {
  readonly users: UsersService
  readonly administration: AdministrationService
  readonly people: PeopleService
  readonly recovery: RecoveryService
  readonly accounts: AccountsService
  readonly groupClouds: GroupCloudsService
  readonly files: FilesService
  readonly thumbnails: ThumbnailsService
  readonly uploads: UploadsService
  readonly transfers: TransfersService
  readonly activity: ActivityService
  readonly changes: ChangesService
  readonly keys: KeysService
  readonly shares: SharesService
  readonly uploadLinks: UploadLinksService
  readonly tags: TagsService
  readonly telegram: TelegramService
  readonly inPlace: InPlaceService
  readonly duplicates: DuplicatesService
  readonly search: SearchService
  readonly fileJobs: FileJobsService
  readonly room: RoomService
  readonly protection: ProtectionService
  readonly versions: VersionsService
}
