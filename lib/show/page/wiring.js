// Who makes a value, and who reads it. A node is its place among all that are listed.

class Wiring {
  #places = new Map();                      // by id
  #starts = new Int32Array(placesEnd + 1);  // of a node's inputs below
  #inputs = [];                             // what is said of each
  #makers = [];                             // -1: no node that is listed
  #readerOf = [];                           // by the number of an input
  #readers;                                 // of each node's outputs: inputs, by their number
  #readerStarts = new Int32Array(placesEnd + 1);

  constructor() {
    const each = (visit) => modules.forEach((module) => {
      let number = module.value("firstNode");
      const steps = module.nodeColumn("step");
      module.nodeColumn("block").forEach((block, i) =>
        visit(module, i, data.texts[block], number += steps[i]));
    });
    each((module, i, block, number) => this.#places.set(block + number, module.firstPlace + i));
    const said = data.reads.map((text) => (text ? text.split("\n").map(readInput) : []));
    let reads;
    each((module, i, block, number) => {
      if (i === 0) reads = module.nodeColumn("inputs");
      const place = module.firstPlace + i;
      this.#starts[place] = this.#inputs.length;
      for (const input of said[reads[i]]) {
        const id = input.id ?? (input.step === undefined ? "" : block + (number - input.step));
        this.#inputs.push(input);
        this.#makers.push(this.#places.get(id) ?? -1);
        this.#readerOf.push(place);
      }
    });
    this.#starts[placesEnd] = this.#inputs.length;
    this.#invert();
  }

  #invert() {
    const counts = new Int32Array(placesEnd + 1);
    for (const maker of this.#makers) if (maker >= 0) ++counts[maker];
    let end = 0;
    for (let place = 0; place <= placesEnd; ++place) {
      this.#readerStarts[place] = end;
      end += counts[place];
    }
    const next = this.#readerStarts.slice();
    this.#readers = new Int32Array(end);
    this.#makers.forEach((maker, input) => {
      if (maker >= 0) this.#readers[next[maker]++] = input;
    });
  }

  // { maker, slot, name, parameter } of each input, in order: -1 is no maker, and then it has a
  // name or is that one of the module's parameters.
  inputs(place) {
    const inputs = [];
    for (let i = this.#starts[place]; i < this.#starts[place + 1]; ++i) {
      const { slot, parameter, pattern } = this.#inputs[i];
      const name = pattern && nameOf(pattern, moduleAt(place).signs());
      inputs.push({ maker: this.#makers[i], slot, name, parameter });
    }
    return inputs;
  }

  // { reader, slot } for each reading of what a node makes.
  readers(place) {
    const readers = [];
    for (let i = this.#readerStarts[place]; i < this.#readerStarts[place + 1]; ++i) {
      const input = this.#readers[i];
      readers.push({ reader: this.#readerOf[input], slot: this.#inputs[input].slot });
    }
    return readers;
  }

  placeOf(id) { return this.#places.get(id); }
}

// What a line about an input says.
function readInput(text) {
  if (text.startsWith("=")) return { pattern: text.slice(1) };
  if (text.startsWith("$")) return { parameter: Number(text.slice(1)) };
  const [, far, node, slot = 0] = /^(!?)(.*?)(?::(\d+))?$/.exec(text);
  return { slot: Number(slot), ...(far ? { id: node } : node && { step: Number(node) }) };
}

const wiring = later(() => new Wiring());

// The last module that begins there or before is the one with nodes there.
function moduleAt(place) {
  let low = 0;
  let high = modules.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (modules[middle].firstPlace <= place) low = middle; else high = middle;
  }
  return modules[low];
}

// Neighbours are mostly asked for one after the other.
const lastAsked = {};

function nodeAt(place) {
  const module = moduleAt(place);
  if (lastAsked.module !== module) Object.assign(lastAsked, { module, nodes: module.ownNodes() });
  return { module, ...lastAsked.nodes[place - module.firstPlace] };
}

// Modules by the names of their parameters.
const parameterOwners = later(() => new Map(modules.flatMap((module) =>
  module.ownParameters().map((parameter) => [parameter.name, { module, ...parameter }]))));
const modelInputs = new Map(data.inputs.map(([name, type]) => [name, type]));
// The nodes that make what the model gives out: which of their outputs is called what.
const modelOutputs = later(() => {
  const made = new Map();
  for (const [name, , maker] of data.outputs) {
    const [, id, slot = 0] = /^(.*?)(?::(\d+))?$/.exec(maker);
    const place = wiring().placeOf(id);
    if (place !== undefined) made.set(`${place}:${slot}`, name);
  }
  return made;
});

// What comes into a module, and what goes out of it: values, and where from and where to.
// Parameters and constants do not come in.
function valuesOf(module) {
  const first = module.firstPlace;
  const end = modules[module.end]?.firstPlace ?? placesEnd;
  const into = new Map();
  const out = new Map();
  const valueAt = (place, slot) => {
    const node = nodeAt(place);
    return { name: node.outputs[slot], type: node.types[slot] ?? "", op: node.op };
  };
  for (let place = first; place < end; ++place) {
    for (const { maker, slot, name } of wiring().inputs(place)) {
      const isInput = maker < 0 && modelInputs.has(name);
      if (!isInput && (maker < 0 || (maker >= first && maker < end))) continue;
      const key = isInput ? name : `${maker}:${slot}`;
      if (into.has(key)) continue;
      const value = isInput ? { name, type: modelInputs.get(name) } : valueAt(maker, slot);
      if (value.op === "Constant") continue;
      into.set(key, { ...value, modules: isInput ? [] : [moduleAt(maker)], isModels: isInput });
    }
    for (const { reader, slot } of wiring().readers(place)) {
      if (reader >= first && reader < end) continue;
      const key = `${place}:${slot}`;
      if (!out.has(key)) out.set(key, { ...valueAt(place, slot), modules: [] });
      const { modules: readers } = out.get(key);
      if (!readers.includes(moduleAt(reader))) readers.push(moduleAt(reader));
    }
  }
  for (const [key, name] of modelOutputs()) {
    const [place, slot] = key.split(":").map(Number);
    if (place < first || place >= end) continue;
    if (!out.has(key)) out.set(key, { ...valueAt(place, slot), name, modules: [] });
    out.get(key).isModels = true;
  }
  const isNoConstant = ({ op }) => op !== "Constant";
  return { into: [...into.values()], out: [...out.values()].filter(isNoConstant) };
}
