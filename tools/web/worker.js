// SPDX-License-Identifier: Apache-2.0

// Runs one command and ends. It follows the modules of the npm package in one text.

// Tells now and then how much of the model was passed.
function watched(file) {
  const source = new BlobSource(file);
  let told = 0;
  return {
    size: source.size,
    read(bytes, position) {
      const read = source.read(bytes, position);
      if (Date.now() - told > 100) {
        told = Date.now();
        postMessage({read: (position + read) / Math.max(source.size, 1)});
      }
      return read;
    },
  };
}

const commands = {
  report: async ({model, other, profile}) =>
    report(model, {compare: other ?? undefined, profile: profile ?? undefined}),
  tag: async ({model}) => (await tagFiles(model)).model,
  hierarchy: async ({model}) => sidecarText(model),
};

self.onmessage = async ({data}) => {
  useProgram(data.program);
  const model = Object.assign(watched(data.model), {name: data.model.name});
  try {
    const result = await commands[data.name]({...data, model});
    postMessage({result});
  } catch (error) {
    const isTooLarge = error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
    postMessage({error: isTooLarge ? `${data.model.name}: there is not enough memory for this in a browser` :
                                     error.message});
  }
};
