/** `pocketintent/worker`: the recogniser in a Web Worker. */

import { UnsupportedError } from './errors.js';
import { words } from './sources.js';
import { type Thread, workerFailure } from './worker/connection.js';
import type { Reply } from './worker/protocol.js';
import { setThreadStarter } from './worker/recognizer.js';

export * from './exports.js';
export { type WorkerOptions, WorkerRecognizer } from './worker/recognizer.js';

/** Bundlers find the script by exactly these words. */
function startWorker(address: string | URL | null): Worker {
  try {
    return address === null
      ? new Worker(new URL('./worker-thread.js', import.meta.url), { type: 'module' })
      : new Worker(address, { type: 'module' });
  } catch (error) {
    throw new UnsupportedError(
      `no worker can be started here (${words(error)}): a worker's script must be of the page's own ` +
        'origin, and the Content-Security-Policy must allow it (`worker-src`); `Recognizer` works ' +
        'without one',
      { cause: error },
    );
  }
}

setThreadStarter((address): Thread => {
  const worker = startWorker(address);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: (onReply, onFailure) => {
      worker.onmessage = ({ data }) => onReply(data as Reply);
      worker.onmessageerror = () => onFailure(workerFailure('an answer could not be read'));
      worker.onerror = (event) => {
        event.preventDefault?.();
        const what = event.message || 'its script, worker-thread.js, could not be loaded';
        onFailure(workerFailure(what));
      };
    },
    hold: () => undefined,
    end: () => worker.terminate(),
  };
});
