import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'

/** Texts of the public page of an upload link, whose reader is a visitor. */
export const messages = {
  loadingTitle: 'Send files · Skypool',
  pageTitle: (title: string) => `${nameText(title)} · Skypool`,
  askedBy: (name: string) => `${name} asks you for files`,
  yourName: 'Your name',
  nameMissing: 'Please enter your name. Then your files are sent.',
  drop: 'Drop files or folders here',
  dropNow: 'Drop the files here',
  tap: 'Tap to choose files',
  or: 'or choose them',
  dropLabel: 'Choose files to send',
  limits: (limits: readonly string[]) => limits.join(', '),
  maxBytes: (bytes: number) => `up to ${formatBytes(bytes)} in total`,
  maxFileBytes: (bytes: number) => `up to ${formatBytes(bytes)} per file`,
  maxFiles: (count: number) => (count === 1 ? 'one file' : `up to ${count.toLocaleString()} files`),
  list: 'Your files',
  waitingForName: (count: number) => `${files(count)} waiting for your name.`,
  send: 'Send',
  arrived: 'Arrived',
  waiting: 'Waiting',
  paused: 'Paused',
  failed: 'Not sent',
  offline: 'It is sent when you are back online.',
  progressOf: (name: string) => `Progress of ${nameText(name)}`,
  cancel: (name: string) => `Cancel ${nameText(name)}`,
  remove: (name: string) => `Remove ${nameText(name)}`,
  retry: (name: string) => `Try again to send ${nameText(name)}`,
  retryShort: 'Try again',
  sent: (sent: string, size: string) => `${sent} of ${size}`,
  perSecond: (speed: string) => `${speed}/s`,
  left: (time: string) => `${time} left`,
  summary: (done: number, all: number, percent: number, size: string) =>
    `${done.toLocaleString()} of ${files(all)} arrived, ${percent}% of ${size}`,
  addMore: 'Add more',
  privacy: (name: string) =>
    `Only ${name} sees what you send. You may close this page when every file has arrived; if the connection breaks, open the link again to continue.`,
  unfinished: (count: number) => `${files(count)} did not arrive completely. Choose the same files again to continue:`,
  forget: 'Discard',
  unreadable: (name: string) => `${nameText(name)} could not be read. Check that it still exists.`,
  thanks: (name: string) => (name === '' ? 'Thank you' : `Thank you, ${name}`),
  thanksText: (count: number, size: string, owner: string) =>
    `${count === 1 ? '1 file has' : `${count.toLocaleString()} files have`} arrived, ${size}. ${owner} can see ${count === 1 ? 'it' : 'them'} now. You can close this page.`,
  more: 'Send more files',
  expires: (when: string) => `Link expires ${when}`,
  protectedPage: 'Protected link · Skypool',
  endedPage: 'Link ended · Skypool',
  endedTitle: 'This link does not work',
  endedText: 'It may have expired, be full or have been ended. Please ask the person who sent it for a new one.',
  failedTitle: 'This page could not be loaded',
  failedText: 'Please check your connection and try again.',
  throttledText: 'Your network has sent too many requests. Please wait a minute and try again.',
} as const

export function files(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString()} files`
}
