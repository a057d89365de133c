/** The page's side of a worker: calls that wait for their answers. */

import { ClosedError, PocketIntentError } from '../errors.js';
import { receiveError, type Reply, type Request } from './protocol.js';

/** A worker as the host has it. */
export interface Thread {
  post(message: Request, transfer: Transferable[]): void;
  /** Sets what is called for each answer, and when the worker fails. */
  listen(onReply: (reply: Reply) => void, onFailure: (reason: Error) => void): void;
  /** Whether a program waits for the worker before it ends: only while it works. */
  hold(isBusy: boolean): void;
  end(): void;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Who asked: is not collected as garbage, which would end the worker, before it has its answer. */
  readonly owner: object | null;
}

export class Connection {
  private readonly pending = new Map<number, Pending>();
  private next = 0;
  private failure: Error | null = null;

  constructor(private readonly thread: Thread) {
    thread.listen(
      (reply) => this.settle(reply),
      (reason) => this.end(reason),
    );
    thread.hold(false);
  }

  request(
    call: Request['call'],
    args: readonly unknown[],
    owner: object | null = null,
    transfer: Transferable[] = [],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) {
        throw this.failure;
      }
      const id = this.next++;
      this.thread.post({ id, call, args }, transfer);
      this.pending.set(id, { resolve, reject, owner });
      this.thread.hold(true);
    });
  }

  /** Ends the worker. The calls that wait for an answer, and all later ones, get the reason. */
  end(reason: Error = new ClosedError('the recogniser was closed')): void {
    if (this.failure !== null) {
      return;
    }
    this.failure = reason;
    this.thread.end();
    for (const { reject } of this.pending.values()) {
      reject(reason);
    }
    this.pending.clear();
  }

  private settle(reply: Reply): void {
    const waiting = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    this.thread.hold(this.pending.size > 0);
    if ('error' in reply) {
      waiting?.reject(receiveError(reply.error));
    } else {
      waiting?.resolve(reply.value);
    }
  }
}

/** The error for a worker that ended by itself. */
export function workerFailure(what: string): PocketIntentError {
  return new PocketIntentError(`the worker of the recogniser failed: ${what}`);
}
