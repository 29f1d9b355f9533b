/** To one person. `text` is plain text; nothing in it was typed by anybody but us. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

export type Mailer = {
  /** Resolves once somebody else has taken responsibility for it: the SMTP server, or the disk. Rejects when that did not work out. */
  send(mail: Mail): Promise<void>
  /** Removes what is kept here of mails to an address. */
  forget(address: string): Promise<void>
}
