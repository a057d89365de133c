// The npm package without WebAssembly; its bot file is made by the core.
import { PlainRecognizer } from '/dist/plain.js';

/** Opens a bot file. */
export const open = ({ taught }) => PlainRecognizer.load(taught);

/** Makes a bot of templates. */
export async function teach({ model }, templates) {
  const { Recognizer } = await import('/dist/index.js');
  const recognizer = await Recognizer.fromTemplates(model, templates);
  const plain = await open({ taught: recognizer.save() });
  return { match: (text) => plain.match(text), save: () => recognizer.save() };
}
