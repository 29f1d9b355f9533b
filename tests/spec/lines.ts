/**
 * Every line of what was asked for, sections 2, 4, 5, 7, 8 and 9: its number here, what it says, and, where the product
 * deliberately does otherwise, what it does instead and why. Each has one test of that number in this folder.
 */
export type SpecLine = { readonly says: string; readonly instead?: string }

export const LINES = {
  // Section 2, public routes
  '2.1': { says: '/login: email, password, remember-me checkbox' },
  '2.2': { says: '/login: links to forgot-password, register and privacy policy' },
  '2.3': { says: '/login: on success goes to /file-manager' },
  '2.4': { says: '/register: full name, email, password, confirm password, terms checkbox' },
  '2.5': {
    says: '/register: on success goes to /login',
    instead: 'Registration has signed in already, so /login at once sends the new user on to /file-manager.',
  },
  '2.6': { says: '/forgot-password: email form, then a confirmation screen with a return-to-login button' },
  '2.7': { says: '/reset-password?token=...: new password and confirm' },
  '2.8': { says: '/privacy-policy: static text' },
  '2.9': { says: '/shares/{shareId}: shared file page, loaded lazily' },
  '2.10': {
    says: '/oauth/{serviceName}/callback: reads code and state, posts them to the opener window and closes itself',
  },
  '2.11': { says: 'Callback: if code or state is missing it logs an error and closes' },
  '2.12': { says: "Callback: shows 'Processing {service} authorization...'" },
  '2.13': { says: 'Paths beginning with /shares skip the session check and the current-user fetch' },
  // Section 2, protected routes
  '2.14': { says: "All other paths require authentication; while the session is loading, 'Loading...' is shown" },
  '2.15': { says: 'Unauthenticated users are redirected to /login' },
  '2.16': { says: 'Protected paths render inside a layout with a sidebar' },
  '2.17': { says: 'Route /dashboard' },
  '2.18': { says: 'Route /file-manager (All Files)' },
  '2.19': { says: 'Route /file-manager/my-drive' },
  '2.20': { says: 'Route /file-manager/shared' },
  '2.21': { says: 'Route /file-manager/starred' },
  '2.22': { says: 'Route /file-manager/trash' },
  '2.23': { says: 'Route /cloud-integration' },
  '2.24': { says: 'Route /group-cloud (Group Cloud Manager)' },
  '2.25': { says: 'Route key-management (API keys)' },
  '2.26': { says: 'Route /settings' },
  // Section 2, sidebar
  '2.27': {
    says: "Sidebar: title 'File Manager'; an 'Upload Files' button that opens the upload dialog from anywhere",
  },
  '2.28': { says: "Group 'Browse': Dashboard, All Files, My Drive, Shared, Starred, Trash" },
  '2.29': { says: "Group 'Settings': Cloud Integration, Group Cloud Manager, Settings (and the API key page)" },
  '2.30': { says: 'Privacy policy link in the sidebar' },
  '2.31': {
    says: 'User menu: avatar from an email-hash avatar service (default size 40), full name, email',
    instead: 'Pictures come through /avatars/{userId} of this server, so that no third party sees who signs in.',
  },
  '2.32': { says: "User menu: 'Sign out' logs out and goes to /login" },
  '2.33': { says: 'Sidebar expanded or collapsed state is kept in a cookie for 7 days' },
  '2.34': { says: 'Sidebar width 16rem, 18rem on mobile, 3rem collapsed to icons' },
  '2.35': { says: 'Ctrl or Meta with the b key toggles the sidebar' },
  '2.36': { says: 'Widths under 768 px count as mobile' },
  // Section 2, upload dialog
  '2.37': {
    says: "Upload dialog: selector 'Select Group Cloud', placeholder 'Select a group cloud', '(Default)' at the default one",
  },
  '2.38': { says: 'Upload dialog: drag-and-drop area (click to browse), list of chosen files, footer' },
  '2.39': {
    says: "Texts 'Drag and drop files here or click to browse', 'Drag 'n' drop files here, or click to select files'",
  },
  '2.40': { says: "Texts 'Drop the files here...' and 'Supports images, PDFs, videos, audio, and documents'" },
  '2.41': { says: "List heading 'Files to upload (n)'; each file has a type icon, name, size and a remove button" },
  '2.42': { says: "Each file has a progress bar while uploading; 'Uploaded' once done" },
  '2.43': { says: 'The list scrolls at max height 10rem on small screens and 15rem on larger ones' },
  '2.44': { says: "Footer: 'Total: n file(s) (size)', Cancel, Upload reading 'Uploading...' and then 'Uploaded'" },
  // Section 2, cloud integration
  '2.45': { says: "Cloud integration: tabs 'Connected Accounts' and 'Add New Connection', an 'Add Storage' dialog" },
  '2.46': { says: "Empty state 'No connected accounts' with an 'Add Cloud Storage' button" },
  '2.47': { says: "Card: provider badge, Connected or Expired badge, name, 'Connected at' relative time" },
  '2.48': { says: "Card: usage bar (used of total, skeleton while loading), 'Re-connect' and 'Disconnect' buttons" },
  '2.49': {
    says: 'Add Storage dialog: first lists providers; then asks for an account name and explains the redirect',
  },
  '2.50': {
    says: 'Add Storage dialog: a note that only read and write permission on explicitly selected files is requested',
    instead: 'The note tells the truth about the scope in use (GOOGLE_SCOPE).',
  },
  '2.51': { says: "Add Storage dialog: buttons Back/Cancel and Connect ('Connecting...' while busy)" },
  '2.52': {
    says: 'Add tab: provider cards and a security card (OAuth without storing passwords, limited access, revoke anytime)',
  },
  // Section 2, key management, settings
  '2.53': { says: "Key page: tabs 'API Keys' and 'Settings', a 'Generate API Key' dialog, empty state 'No API keys'" },
  '2.54': {
    says: "Key card: 'API Key' badge, status badge, name, created time (relative, tooltip with the full date)",
  },
  '2.55': {
    says: "Key card: the key value with a copy button, a usage skeleton, 'Regenerate' and 'Revoke' buttons",
  },
  '2.56': { says: 'Key page, Settings tab: an info card (secure generation, limited scope, revoke anytime)' },
  '2.57': {
    says: "Settings: Appearance with 'Light Mode' and 'Dark Mode' buttons, saved in local storage under the theme key",
  },
  '2.58': { says: 'The dark class is applied from the stored theme, or from the system preference if none is stored' },
  // Section 2, toasts
  '2.59': { says: 'Toasts: top-right, at most 3 visible, width 356 px, gap 14 px' },
  '2.60': { says: 'Toasts: pause on hover or hidden tab' },
  '2.61': { says: 'Toasts: swipe away (distance 45 px or speed above 0.11)' },
  '2.62': { says: 'Toasts: Alt+T focuses them' },
  '2.63': {
    says: "Toasts: auto-close 3000 ms in the main layout (4000 ms in the upload flow's toast defaults)",
    instead: 'Toasts that offer Undo or report an error stay 8 s.',
  },
  // Section 4
  '4.1': {
    says: 'Authentication starts loading and unauthenticated; a validate call, login or registration makes it authenticated',
  },
  '4.2': { says: 'Logout makes it unauthenticated' },
  '4.3': { says: 'Registration logs in automatically right after success' },
  '4.4': { says: 'A failed session check marks the user unauthenticated' },
  '4.5': {
    says: 'Upload dialog: on opening, the group cloud flagged defaultUploadGroup is preselected unless one is already selected',
  },
  '4.6': { says: 'Upload queue: files are added; progress goes 0 to 100; at 100 the item is marked uploaded' },
  '4.7': {
    says: "When every file is at 100: toast 'Upload Complete', 'Successfully uploaded N file(s) to the chosen group cloud name'",
  },
  '4.8': {
    says: 'Upload is disabled when the queue is empty, while uploading, when all are uploaded, or when no group cloud is chosen',
  },
  '4.9': { says: 'The selector and remove buttons are disabled during upload' },
  '4.10': {
    says: "Account status: CONNECTED (green 'Connected'); any other value shows 'Expired' (amber)",
    instead: 'The page also sets EXPIRED, when the provider has ended the access.',
  },
  '4.11': { says: 'Api key status: ACTIVE shown green, anything else red' },
  '4.12': {
    says: 'Regenerate enabled only when ACTIVE; Revoke disabled when REVOKED; neither button has an action',
    instead: 'Both work.',
  },
  '4.13': {
    says: 'Connection flow: state and client id from the server, popup, code and state by message, sent to the server; toast, dialog closes, selection cleared',
  },
  '4.14': { says: 'Reconnect is the same flow, sending the code to the existing account' },
  '4.15': {
    says: 'Only Google Drive and Dropbox are implemented; Connect does nothing for other providers',
    instead: 'A provider that cannot be connected says why; Connect never does nothing.',
  },
  '4.16': { says: 'Popup: 600x400, centred, closed state polled every 500 ms' },
  '4.17': {
    says: "Popup fails with 'Popup blocked' if blocked, or 'Popup closed without authorization' if closed early",
  },
  '4.18': { says: 'Only same-origin messages are accepted' },
  '4.19': {
    says: 'Forgot-password and reset-password submissions are simulated with a 1.5 s delay and make no server call',
    instead: 'Both are real: mail, tokens, and a new password.',
  },
  // Section 5
  '5.1': {
    says: 'Drop zone accepts only images, PDF, video, audio, text, and Word (docx), Excel (xlsx) and PowerPoint (pptx); multiple files',
  },
  '5.2': { says: 'Upload needs at least one file and a selected group cloud' },
  '5.3': { says: 'Progress value must be between 0 and max (default 100)' },
  '5.4': { says: 'File sizes display in Bytes, KB, MB, GB or TB with 2 decimals, base 1024' },
  '5.5': { says: 'API key name must be non-blank after trimming; Generate is disabled while blank' },
  '5.6': {
    says: "Error toast 'Please provide a name for the API key', 'A name helps you identify this key later.'",
  },
  '5.7': {
    says: "Connection: name non-blank, provider chosen; toast 'Please provide a name for this connection', 'A name helps you identify this account later.'",
  },
  '5.8': { says: 'Registration: all fields required, terms checkbox required' },
  '5.9': { says: "Registration: password must equal confirm password, else alert 'Passwords do not match'" },
  '5.10': {
    says: "Reset: token present and longer than 10 characters, else 'Invalid or expired token' with a link to request a new link",
  },
  '5.11': { says: "Reset: passwords must match ('Passwords don't match')" },
  '5.12': { says: "Reset: minimum length 8 ('Password must be at least 8 characters long')" },
  '5.13': { says: 'Login and forgot-password email fields are required and of email type' },
  // Section 7
  '7.1': { says: 'All requests send credentials (cookies)' },
  '7.2': { says: 'GET /api/v1/auth/validate' },
  '7.3': { says: 'GET /api/v1/auth/me' },
  '7.4': { says: 'POST /api/v1/auth/login {email, password}' },
  '7.5': { says: 'POST /api/v1/auth/register {fullName, email, password}' },
  '7.6': { says: 'POST /api/v1/auth/logout' },
  '7.7': { says: 'GET /api/v1/group-clouds' },
  '7.8': { says: 'POST /api/v1/group-clouds' },
  '7.9': { says: 'DELETE /api/v1/group-clouds/{id}' },
  '7.10': { says: 'PATCH /api/v1/group-clouds/{id} {defaultUploadGroup: true}' },
  '7.11': { says: 'GET /api/v1/files' },
  '7.12': { says: 'GET /api/v1/files/{id}' },
  '7.13': { says: 'POST /api/v1/files: multipart, field file; group cloud not sent' },
  '7.14': { says: 'DELETE /api/v1/files/{id}' },
  '7.15': { says: 'GET /api/v1/files/{id}/download: saved under the file name' },
  '7.16': { says: 'POST /api/v1/files/{fileId}/share/{uploadFileId}: shares to a cloud drive' },
  '7.17': { says: 'DELETE /api/v1/files/{fileId}/share/{uploadFileId}' },
  '7.18': { says: 'GET /api/v1/keys' },
  '7.19': { says: 'POST /api/v1/keys {name}; list refreshed afterwards' },
  '7.20': { says: 'GET /api/v1/google-accounts' },
  '7.21': { says: 'GET /api/v1/google-accounts/client-id' },
  '7.22': { says: 'GET /api/v1/google-accounts/init returns a state value' },
  '7.23': { says: 'POST /api/v1/google-accounts/auth {code, name}' },
  '7.24': { says: 'PUT /api/v1/google-accounts/{id} {code} (reconnect)' },
  '7.25': { says: 'DELETE /api/v1/google-accounts/{id}' },
  '7.26': { says: 'The same set under /api/v1/dropbox-accounts' },
  '7.27': {
    says: 'POST /api/v1/quotas/by-ids-and-types: array of {id, type} -> array of {id, quota{usedBytes,totalBytes}}',
  },
  '7.28': { says: 'Quotas are asked for whenever the connected list changes' },
  '7.29': { says: 'GET and POST /api/v1/telegram-accounts' },
  '7.30': { says: 'PUT /api/v1/telegram-accounts/{id} {code}' },
  '7.31': { says: 'POST /api/v1/telegram-accounts/registration-code returns a code' },
  '7.32': { says: 'Google authorization: scope drive, profile and email, offline access, consent prompt' },
  '7.33': { says: 'Dropbox authorization: offline token access' },
  '7.34': { says: 'Redirect addresses {origin}/oauth/google/callback and {origin}/oauth/dropbox/callback' },
  '7.35': { says: 'After an upload the file list is refetched; after a delete it is invalidated' },
  '7.36': { says: 'After group cloud changes the group cloud list is invalidated' },
  // Section 8
  '8.1': { says: "Login failure: 'Login failed: Please check your credentials and try again.'" },
  '8.2': {
    says: "Registration failure: 'Registration failed: There was a problem creating your account. Please try again.'",
  },
  '8.3': {
    says: "Registration success: 'Registration successful: Your account has been created. Welcome to the product!'",
    instead: "'the product' is named: Skypool.",
  },
  '8.4': {
    says: "Forgot password failure: 'Something went wrong: There was a problem sending the reset link. Please try again.'",
  },
  '8.5': {
    says: "Reset failure: 'Password reset failed: There was a problem resetting your password. Please try again.'",
  },
  '8.6': {
    says: "Reset success: 'Password reset successful: Your password has been updated. You can now log in with your new password.'",
  },
  '8.7': { says: "Clipboard: 'Copied to clipboard' on success; 'Failed to copy {reason}' on failure" },
  '8.8': {
    says: "Toast 'API Key generated' (fires immediately, without waiting for the server)",
    instead: 'It shows when the server has said so.',
  },
  '8.9': { says: "Toast 'Account connected successfully'" },
  '8.10': { says: "Toast 'Account disconnected'" },
  '8.11': { says: "Toasts 'Reconnection initiated' and 'Reconnection successfully'" },
  '8.12': { says: "Popup errors 'Popup blocked' and 'Popup closed without authorization'" },
  '8.13': {
    says: 'A failed download is logged and its progress cleared',
    instead: 'It also stays in the transfers panel with its reason, to be tried again.',
  },
  '8.14': {
    says: 'Logout and get-user failures are only logged',
    instead: 'A sign-out that failed is also told: nobody should believe to be signed out who is not.',
  },
  '8.15': {
    says: 'Connection failures: the busy state may stay on',
    instead: 'Every failure ends the busy state with words.',
  },
  // Section 9
  '9.1': { says: 'Toast auto-close 3000 ms in the main layout, 4000 ms default in the upload flow' },
  '9.2': { says: 'Toasts: 3 visible; width 356 px; gap 14 px; swipe threshold 45 px' },
  '9.3': {
    says: 'File list cache 5 minutes',
    instead: 'Live updates make the cache invisible: what has changed is read again at once.',
  },
  '9.4': { says: 'File detail cache 1 minute with 2 retries, only when an id is given' },
  '9.5': { says: 'API key list cache 5 minutes' },
  '9.6': { says: 'Upload refetch debounce 350 ms' },
  '9.7': { says: 'Size units base 1024' },
  '9.8': { says: 'Minimum reset password length 8; reset token length more than 10' },
  '9.9': { says: 'Forgot-password says the link expires in 24 hours' },
  '9.10': { says: 'Popup 600x400, polling 500 ms' },
  '9.11': { says: 'Sidebar cookie 7 days; mobile breakpoint 768 px' },
  '9.12': { says: 'Tooltip delay 700 ms, skip delay 300 ms' },
  '9.13': { says: 'Avatar default size 40' },
  '9.14': { says: 'Privacy policy effective date January 1, 2025' },
} as const satisfies Readonly<Record<string, SpecLine>>

export type LineId = keyof typeof LINES
