/** `pocketintent/worker` in Node, and in Deno and Bun, which have its threads, too. */

import { UnsupportedError } from './errors.js';
import { nodeModule } from './host.js';
import { type Thread, workerFailure } from './worker/connection.js';
import type { Reply, Request } from './worker/protocol.js';
import { setThreadStarter } from './worker/recognizer.js';

export * from './exports.js';
export { type WorkerOptions, WorkerRecognizer } from './worker/recognizer.js';

interface NodeWorker {
  postMessage(message: Request, transfer: Transferable[]): void;
  on(event: 'message', listener: (reply: Reply) => void): void;
  on(event: 'error' | 'messageerror', listener: (error: Error) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface Threads {
  readonly Worker: new (address: string | URL, options: { execArgv: string[] }) => NodeWorker;
}

setThreadStarter((address): Thread => {
  const threads = nodeModule<Threads>('worker_threads');
  if (threads === null) {
    throw new UnsupportedError('there are no threads here: Node 20.16 or later has them');
  }
  const script = address ?? new URL('./worker-thread.js', import.meta.url);
  // Flags of the program, such as `--input-type`, may be wrong for another script.
  const worker = new threads.Worker(script, { execArgv: [] });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: (onReply, onFailure) => {
      const fail = (error: Error) => onFailure(workerFailure(error.message));
      worker.on('message', onReply);
      worker.on('messageerror', fail);
      worker.on('error', fail);
      worker.on('exit', (code) => onFailure(workerFailure(`it ended with status ${code}`)));
    },
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  };
});
