/** The script that runs in a worker of `pocketintent/worker`: a Web Worker, or a thread of Node. */

import { nodeModule } from './host.js';
import { setDefaultModule } from './wasm/module.js';
import { separateModule } from './wasm/separate.js';
import type { Reply, Request } from './worker/protocol.js';
import { server } from './worker/serve.js';

interface Port {
  postMessage(message: Reply, transfer: Transferable[]): void;
  on(event: 'message', listener: (request: Request) => void): void;
}

setDefaultModule(separateModule);

const port = nodeModule<{ parentPort: Port | null }>('worker_threads')?.parentPort;
if (port) {
  const answer = server((message, transfer) => port.postMessage(message, transfer));
  port.on('message', (request) => void answer(request));
} else {
  const answer = server((message, transfer) => self.postMessage(message, { transfer }));
  self.addEventListener('message', (event) => void answer(event.data as Request));
}
