import { formatRelative } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'

/** Texts of the public page of a link, whose reader is a visitor, not the owner of the files. */
export const messages = {
  loadingTitle: 'Shared file · Skypool',
  pageTitle: (name: string) => `${nameText(name)} · Skypool`,
  sharedBy: (name: string) => `shared by ${name}`,
  download: 'Download',
  downloadAll: 'Download all',
  downloadOne: (name: string) => `Download ${nameText(name)}`,
  downloaded: 'Downloaded',
  downloading: (sent: string, size: string) => `${sent} of ${size}`,
  downloadingLabel: (name: string) => `Download of ${nameText(name)}`,
  cancel: 'Cancel',
  retry: 'Try again',
  fullScreen: 'Full screen',
  report: 'Report this file',
  reportTitle: 'Report this link',
  reportText: 'The person who shared it is notified, without your name or address.',
  reportReason: 'What is wrong with it?',
  reportReasons: {
    ILLEGAL: 'It is illegal',
    MALWARE: 'It contains harmful software',
    PRIVACY: 'It shows private information without permission',
    OTHER: 'Something else',
  },
  reportSend: 'Send report',
  reported: 'Report sent',
  reportFailed: 'The report could not be sent',
  protectedPage: 'Protected file · Skypool',
  wrongPassword: 'Incorrect password. Please try again.',
  tooManyGuesses: (seconds: number) => `Too many attempts. Please wait ${waitText(seconds)} and try again.`,
  unlockFailed: 'The server could not be reached. Please check your connection and try again.',
  endedPage: 'Link ended · Skypool',
  endedTitle: 'This link does not work',
  endedText:
    'It may have expired, reached its download limit or been revoked. Please ask the person who sent it for a new one.',
  unavailableTitle: 'Temporarily unavailable',
  unavailableText: (name: string) =>
    `“${nameText(name)}” cannot be read at the moment. The link still works: please try again later.`,
  noPreviewLimited: 'A link with a download limit has no preview.',
  expires: (when: string) => `Link expires ${when}`,
  downloadsLeft: (count: number) => (count === 1 ? '1 download left' : `${count.toLocaleString()} downloads left`),
  offlineTitle: 'You are offline',
  offlineText: 'This page reloads when you are back online.',
  unreachableTitle: 'The server cannot be reached',
  unreachableText: 'It may be restarting. Please try again in a moment.',
  throttledTitle: 'Too many requests',
  throttledText: 'Your network has sent too many requests. Please wait a minute and try again.',
  failedTitle: 'This page could not be loaded',
  failedText: 'Something went wrong on the server. Please try again in a moment.',
  folderLabel: 'Files in this folder',
  path: 'Path',
  view: 'View',
  list: 'List',
  grid: 'Grid',
  photos: 'Photos',
  emptyFolder: 'This folder is empty',
  emptyFolderText: 'There is nothing to download here.',
  folderGone: 'This folder no longer exists',
  folderGoneText: 'It was moved or deleted after the link was created.',
  toSharedFolder: 'Go to the shared folder',
  showMore: 'Show more',
  closePreview: 'Close preview',
  counting: 'counting…',
  items: (count: number) => `${count.toLocaleString()} ${count === 1 ? 'item' : 'items'}`,
  lost: 'The connection was lost. Please try again when you are back online.',
  gone: 'This is no longer available here. It may have been moved or deleted, or the link has ended.',
  locked: 'The password is required again. Please reload the page.',
  cannotRead: 'The file cannot be read at the moment. Please try again later.',
  busy: 'Too many requests. Please wait a minute and try again.',
  notSent: 'The server could not send the file. Please try again in a moment.',
} as const

function waitText(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** How long and how often the link still works; empty when there is no limit. */
export function limitText(expiresAt: string | null | undefined, downloadsLeft: number | null | undefined): string[] {
  return [
    ...(expiresAt ? [messages.expires(soon(expiresAt))] : []),
    ...(downloadsLeft == null ? [] : [messages.downloadsLeft(downloadsLeft)]),
  ]
}

const soon = (iso: string): string => (Date.parse(iso) - Date.now() < 60_000 ? 'in a moment' : formatRelative(iso))
