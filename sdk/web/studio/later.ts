/**
 * What the page needs after it is drawn: the checks, and the author's utterances. It is a script of
 * its own, so that the first one is small.
 */

export { checkTemplates } from './bot/checks.js';
export { readUtterances } from './trial/utterances.js';
export { UtterancesView } from './view/utterances.js';
