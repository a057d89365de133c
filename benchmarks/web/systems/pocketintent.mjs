// The npm package, as a page without any tool uses it: files of dist/.
import { Recognizer } from '/dist/index.js';

/** Opens a bot file. */
export const open = ({ taught }) => Recognizer.load(taught);

/** Makes a bot of templates. */
export const teach = ({ model }, templates) => Recognizer.fromTemplates(model, templates);
