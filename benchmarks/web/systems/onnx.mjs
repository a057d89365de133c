// An ONNX export of ours on onnxruntime-web, by the port that the docs offer.
import { Recogniser } from '../../../docs/examples/recognise.mjs';
import { fetchBytes, ort } from './runtime.mjs';

export async function open({ folder }) {
  const recogniser = await Recogniser.load(ort, (name) => fetchBytes(`${folder}/${name}`));
  return { match: (text) => recogniser.recognise(text) };
}
