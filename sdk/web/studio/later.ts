/**
 * What the page needs after it is drawn: the checks, the author's files and utterances. It is a script of
 * its own, so that the first one is small.
 */

export { checkTemplates } from './bot/checks.js';
export { openFile } from './open_file.js';
export { UtterancesView } from './view/utterances.js';
