/** Words of the page for those who forgot their password. */
export const words = {
  pageTitle: 'Forgot password · Skypool',
  title: 'Forgot your password?',
  intro: 'Enter your email address, and we send you a link to choose a new one.',
  email: 'Email',
  submit: 'Send reset link',
  remembered: 'Remembered it?',
  login: 'Log in',
  sentTitle: 'Check your email',
  sentBefore: 'If there is an account for ',
  sentAfter: ', a link to choose a new password is on its way. The link expires in 24 hours.',
  nothing: 'Nothing there? Look into the spam folder, or',
  again: 'try again',
  returnToLogin: 'Return to login',
  noMail:
    'Mail is not set up on this server. The link is written to a file there: please ask its administrator for it.',
  failed: 'Something went wrong',
  failedText: 'There was a problem sending the reset link. Please try again.',
  tooMany: (seconds: number) => `That was asked for too often. Please try again ${inMinutes(seconds)}.`,
}

function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
}
