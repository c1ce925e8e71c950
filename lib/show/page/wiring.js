// Who makes a value, and who reads it. A node is its place among all that are listed; values that no
// node makes have a name.

class Wiring {
  #places = new Map();                          // by id
  #starts = new Int32Array(placesEnd + 1);      // of a node's inputs below
  #makers = [];                                 // -1: no node that is listed
  #slots = [];                                  // which output of the maker
  #names = [];                                  // of what no node makes; of others ""
  #readers;                                     // of each node's outputs: inputs, by their number
  #readerStarts = new Int32Array(placesEnd + 1);
  #readerOf = [];                               // by the number of an input

  constructor() {
    const known = modules.map((module) => module.nodeRows());
    modules.forEach((module, id) => known[id].forEach((row, index) =>
      this.#places.set(row.id, module.firstPlace + index)));
    modules.forEach((module, id) => known[id].forEach((row, index) => {
      const place = module.firstPlace + index;
      this.#starts[place] = this.#makers.length;
      const text = data.reads[row.inputs];
      if (text) text.split("\n").forEach((input) => this.#read(input, row, place));
    }));
    this.#starts[placesEnd] = this.#makers.length;
    this.#invert();
  }

  #read(input, row, place) {
    const isNamed = input.startsWith("=");
    const far = input.startsWith("!");
    const [, node, slot = 0] = isNamed || !input ? []
      : /^!?(.*?)(?::(\d+))?$/.exec(input);
    const id = far ? node : data.texts[row.block] + (row.number - node);
    this.#makers.push(node === undefined ? -1 : this.#places.get(id) ?? -1);
    this.#slots.push(Number(slot));
    this.#names.push(isNamed ? nameOf(input.slice(1), row.signs) : "");
    this.#readerOf.push(place);
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

  // { maker, slot, name } of each input, in order.
  inputs(place) {
    const inputs = [];
    for (let i = this.#starts[place]; i < this.#starts[place + 1]; ++i) {
      inputs.push({ maker: this.#makers[i], slot: this.#slots[i], name: this.#names[i] });
    }
    return inputs;
  }

  // { reader, slot } for each reading of what a node makes.
  readers(place) {
    const readers = [];
    for (let i = this.#readerStarts[place]; i < this.#readerStarts[place + 1]; ++i) {
      const input = this.#readers[i];
      readers.push({ reader: this.#readerOf[input], slot: this.#slots[input] });
    }
    return readers;
  }

  placeOf(id) { return this.#places.get(id); }
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
  module.ownParameters().map(({ name, type }) => [name, { module, type }]))));
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

// What comes into a module, and what goes out of it: values, and where from and where to. Parameters
// and constants are not data that come in.
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
