/** Texts of the page for a forgotten password. */
export const messages = {
  pageTitle: 'Forgot password · Skypool',
  title: 'Forgot your password?',
  email: 'Email',
  remembered: 'Remembered it?',
  login: 'Log in',
  returnToLogin: 'Return to login',
  byMail: {
    intro: 'Enter your email address, and we send you a link to choose a new one.',
    submit: 'Send reset link',
    sentTitle: 'Check your email',
  },
  byAdministrator: {
    intro:
      'Mail is not set up on this server. Enter your email address: a link to choose a new password is then kept for the administrator, who can pass it on to you.',
    submit: 'Create reset link',
    sentTitle: 'Ask your administrator',
  },
  failed: 'Something went wrong',
  failedText: 'There was a problem sending the reset link. Please try again.',
  tooMany: (seconds: number) => `Too many requests. Please try again ${inMinutes(seconds)}.`,
}

function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
}
