import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from 'react'
import { formatBytes } from '../../lib/formatBytes.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { FilePicker } from './FilePicker.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'
import { SendFrame } from './SendFrame.tsx'
import { SentList } from './SentList.tsx'
import { Thanks } from './Thanks.tsx'
import type { OpenLink } from './uploadLink.ts'
import { type Sending, useSender } from './useSender.ts'

type Props = {
  readonly link: OpenLink
  /** The heading does, when the page appears: the field of the password is gone. */
  readonly takesFocus: boolean
}

/** Asks for files and sends them at once; says thank you when all have arrived. */
export function SendPage({ link, takesFocus }: Props) {
  const sending = useSender(link)
  const { transfers, waiting } = sending
  const input = useRef<HTMLInputElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const isOver = transfers.length > 0 && waiting.length === 0 && transfers.every(({ state }) => state === 'done')
  const frame = { pageTitle: messages.pageTitle(link.title), expiresAt: link.expiresAt }
  if (isOver) {
    return (
      <SendFrame {...frame}>
        <Thanks transfers={transfers} name={sending.name} owner={link.askedBy} onMore={sending.clear} />
      </SendFrame>
    )
  }
  return (
    <SendFrame {...frame} note={messages.privacy(link.askedBy)}>
      <div className={styles.inside}>
        <p className="meta subtle">{messages.askedBy(link.askedBy)}</p>
        <h1 ref={heading} className={`h1 wrap-anywhere ${styles.heading}`} tabIndex={-1}>
          {link.title}
        </h1>
        {link.message && <p className={`muted text-body wrap-anywhere ${styles.message}`}>{link.message}</p>}
        <Form link={link} sending={sending} input={input} />
      </div>
      {transfers.length > 0 && <Summary sending={sending} onMore={() => input.current?.click()} />}
    </SendFrame>
  )
}

type FormProps = {
  readonly link: OpenLink
  readonly sending: Sending
  readonly input: RefObject<HTMLInputElement | null>
}

function Form({ link, sending, input }: FormProps) {
  const { waiting, isNameMissing, unfinished } = sending
  const send = (event: KeyboardEvent) => {
    if (event.key === 'Enter') sending.sendWaiting()
  }
  return (
    <>
      {link.asksName && (
        <TextField
          className="mt-4"
          label={messages.yourName}
          autoComplete="name"
          maxLength={80}
          value={sending.name}
          error={waiting.length > 0 && isNameMissing ? messages.nameMissing : undefined}
          onChange={(event) => sending.rename(event.currentTarget.value)}
          onKeyDown={send}
        />
      )}
      <FilePicker input={input} limits={limitsOf(link)} onEntries={sending.add} />
      {waiting.length > 0 && (
        <div className="hstack mt-3">
          <span className="meta grow">{messages.waitingForName(waiting.length)}</span>
          <Button size="sm" variant="primary" disabled={isNameMissing} onClick={sending.sendWaiting}>
            {messages.send}
          </Button>
        </div>
      )}
      {unfinished.length > 0 && <Unfinished sending={sending} />}
      <SentList sending={sending} />
    </>
  )
}

/** After a reload: the server still has the first part, but browsers do not remember files. */
function Unfinished({ sending }: { sending: Sending }) {
  const { unfinished } = sending
  const id = useId()
  return (
    <section className={styles.unfinished} aria-labelledby={id}>
      <p id={id} className="meta grow">
        {messages.unfinished(unfinished.length)}{' '}
        <b className="wrap-anywhere font-medium">{unfinished.map(({ name }) => name).join(', ')}</b>
      </p>
      <Button size="sm" variant="ghost" onClick={sending.forgetUnfinished}>
        {messages.forget}
      </Button>
    </section>
  )
}

function Summary({ sending, onMore }: { readonly sending: Sending; readonly onMore: () => void }) {
  const { transfers, summary } = sending
  const done = transfers.filter(({ state }) => state === 'done').length
  const size = formatBytes(transfers.reduce((sum, transfer) => sum + transfer.size, 0))
  return (
    <footer className={styles.summary}>
      <span className="meta muted num grow">{messages.summary(done, transfers.length, summary.percent, size)}</span>
      <Button onClick={onMore}>{messages.addMore}</Button>
    </footer>
  )
}

function limitsOf({ maxBytes, maxFileBytes, maxFiles }: OpenLink): readonly string[] {
  return [
    ...(maxFiles === null ? [] : [messages.maxFiles(maxFiles)]),
    ...(maxBytes === null ? [] : [messages.maxBytes(maxBytes)]),
    ...(maxFileBytes === null ? [] : [messages.maxFileBytes(maxFileBytes)]),
  ]
}
