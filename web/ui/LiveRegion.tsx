import { useEffect, useState } from 'react'
import { onAnnounce } from '../lib/announce.ts'

/** The page's one polite live region: mount it once. Repeating the same text is read again. */
export function LiveRegion() {
  const [message, setMessage] = useState({ text: '', count: 0 })
  useEffect(() => onAnnounce((text) => setMessage(({ count }) => ({ text, count: count + 1 }))), [])
  return (
    <div aria-live="polite" className="sr-only">
      <span key={message.count}>{message.text}</span>
    </div>
  )
}
