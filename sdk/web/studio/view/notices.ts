/** What the page tells its author: errors, which stay until they are read, and short news. */

import { button, byId, element, fill, setText } from './dom.js';

const NEWS_STAYS = 6000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows what went wrong, with something to do about it if there is anything. */
export function showError(message: string, action?: { text: string; run: () => void }): void {
  const host = byId('error');
  const run = () => (clearError(), action!.run());
  fill(
    host,
    element('span', {}, message),
    action && button(action.text, run),
    button('×', clearError, { class: 'quiet icon', 'aria-label': 'Close this message' }),
  );
  host.hidden = false;
}

export function clearError(): void {
  byId('error').hidden = true;
  fill(byId('error'));
}

/** Shows what was done, for some seconds. */
export function showNews(message: string): void {
  setText(byId('news'), message);
  clearTimeout(timer);
  timer = setTimeout(() => setText(byId('news'), ''), NEWS_STAYS);
}
