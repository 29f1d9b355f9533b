export const renderDocs = (_document: unknown) => ''
