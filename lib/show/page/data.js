// The model: modules in the tree's order, and what each holds, put together when it is asked for.

const data = JSON.parse(document.getElementById("data").textContent);

// Made when it is first asked for.
const later = (make) => {
  let made;
  return () => (made ??= make());
};

// The items of a column: one for all, each by itself, or how often each comes, or each step.
function itemsOf(column, count) {
  if (Array.isArray(column)) return column;
  if (typeof column === "number") return Array(count).fill(column);
  const runs = column.runs ?? column.steps;
  const items = [];
  let last = 0;
  for (let i = 0; i < runs.length; i += 2) {
    for (let left = runs[i + 1]; left > 0; --left) {
      last = column.steps ? last + runs[i] : runs[i];
      items.push(last);
    }
  }
  return items;
}

// Of each text there is how much it has in common with the one before it, and the rest.
function readTexts(pieces) {
  const texts = [];
  for (let i = 0; i < pieces.length; i += 2) {
    texts.push((texts.at(-1) ?? "").slice(0, pieces[i]) + pieces[i + 1]);
  }
  return texts;
}

for (const list of ["texts", "names", "reads", "made", "reasons"]) {
  data[list] = readTexts(data[list]);
}
for (const [name, column] of Object.entries(data.modules)) {
  data.modules[name] = itemsOf(column, data.moduleCount);
}

// Names are said by what they are made of.
function nameOf(pattern, parts) {
  return pattern.replace(/\\(.)|[@~%#&]/g, (sign, literal) => literal ?? parts[sign]);
}

class Module {
  constructor(id, parent) {
    this.id = id;
    this.parent = parent;
    this.children = [];
    this.totalNodes = this.nodes;
    this.end = id + 1;  // one past the last module inside
    this.changesInside = 0;
  }

  value(column) { return data.modules[column][this.id]; }
  text(column) { return data.texts[this.value(column)]; }

  // The root's is the model's.
  get name() {
    return this.parent ? this.text("step").slice(1) : data.file.replace(/\.onnx$/i, "");
  }
  get className() { return this.text("class"); }
  get nodes() { return this.value("nodes"); }
  get parameters() { return this.value("parameters"); }
  get totalParameters() { return this.value("totalParameters"); }
  get totalBytes() { return this.value("totalBytes"); }
  get change() { return this.text("change"); }
  get depth() { return this.value("depth"); }
  get path() {
    return (this.parent?.parent ? this.parent.path : "") + this.text("step");
  }

  // How many siblings from this one on are built alike; 0: it is among those of one before it.
  get alike() { return this.value("alike"); }

  // From the root down to this one.
  get line() { return this.parent ? [...this.parent.line, this] : [this]; }

  get isLeftOut() { return this.value("ownNodes") < 0; }

  ownNodes() {
    return this.nodeRows().map((row, index) => {
      const text = (column) => data.texts[row[column]];
      const name = nameOf(data.names[row.name], row.signs);
      const outputs = nameOf(data.made[row.outputs], { ...row.signs, "&": name }).split("\n");
      const [method, confidence, containment] = text("how").split(" ");
      return {
        id: row.id, op: text("op"), name, outputs, types: text("types").split("\n"), method,
        attributes: text("attributes"), confidence: confidence / 1e4,
        containment: containment / 1e4, reason: data.reasons[row.reason], call: row.call,
        place: this.firstPlace + index,
      };
    });
  }

  // The columns of its nodes, with their ids, and what the signs in their names stand for.
  nodeRows() {
    let number = this.value("firstNode");
    return this.rows("ownNodes", data.nodeColumns, this.nodes).map((row) => {
      number += row.step;
      const signs = { ...this.signs(), "%": data.texts[row.op], "#": number };
      return { ...row, signs, id: data.texts[row.block] + number };
    });
  }

  // One column of its nodes: an item for each.
  nodeColumn(name) {
    if (this.isLeftOut) return [];
    const columns = data.contents[this.value("ownNodes")];
    return itemsOf(data.columns[columns[data.nodeColumns.indexOf(name)]], this.nodes);
  }

  ownParameters() {
    const signs = this.signs();
    return this.rows("ownParameters", data.parameterColumns, this.value("parameterCount"))
      .map((row) => ({
        name: nameOf(data.names[row.name], signs), type: data.texts[row.type], bytes: row.bytes,
      }));
  }

  // What the signs in names stand for.
  signs() {
    const path = this.parent ? this.path : "";
    return { "@": path, "~": path.slice(1).replaceAll("/", ".") };
  }

  // An object with an item of each column, for each of `count` rows.
  rows(contents, names, count) {
    if (this.isLeftOut) return [];
    const columns = data.contents[this.value(contents)].map((column) =>
      itemsOf(data.columns[column], count));
    return Array.from({ length: count }, (_, index) =>
      Object.fromEntries(names.map((name, i) => [name, columns[i][index]])));
  }

  // How many nodes each operator has here and in all that is inside, the most first.
  operators() {
    const counts = new Map();
    for (const module of modules.slice(this.id, this.end)) {
      for (const op of module.nodeColumn("op")) counts.set(op, (counts.get(op) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([op, count]) => [data.texts[op], count]);
  }
}

function readModules() {
  const modules = [];
  const open = [];  // the modules around the next one
  for (let id = 0; id < data.moduleCount; ++id) {
    open.length = data.modules.depth[id];
    const module = new Module(id, open.at(-1));
    module.parent?.children.push(module);
    open.push(module);
    modules.push(module);
  }
  let place = 0;
  for (const module of modules) {
    module.firstPlace = place;  // of its own nodes among all that are listed, module by module
    if (!module.isLeftOut) place += module.nodes;
  }
  for (let id = data.moduleCount - 1; id > 0; --id) {
    const module = modules[id];
    module.parent.totalNodes += module.totalNodes;
    module.parent.end = Math.max(module.parent.end, module.end);
    if (data.comparison) {
      module.parent.changesInside += module.changesInside + (module.change ? 1 : 0);
    }
  }
  return modules;
}

const modules = readModules();
const root = modules[0];
const placesEnd = modules.at(-1).firstPlace + (modules.at(-1).isLeftOut ? 0 : modules.at(-1).nodes);
const byPath = new Map(modules.map((module) => [module.path, module]));

// For each module that is one of several alike neighbours: the first one of them.
const runs = new Map();
for (const first of modules) {
  if (first.alike < 2) continue;
  const { children } = first.parent;
  const place = children.indexOf(first);
  for (const module of children.slice(place, place + first.alike)) runs.set(module, first);
}

// What is drawn as one: `count` neighbours that are alike, in each of the modules around them that
// are drawn as one. What is built alike has its modules in the same places.
class Block {
  constructor(modules, count = 1) {
    this.modules = modules;
    this.count = count;
  }

  get module() { return this.modules[0]; }
  get isRun() { return this.count > 1; }

  // "layer.[0-11]"
  get name() {
    const first = this.module.name;
    if (!this.isRun) return first;
    const last = this.modules[this.count - 1].name.split(/(\d+)/);
    const pieces = first.split(/(\d+)/).map((piece, i) =>
      (piece === last[i] ? piece : `[${piece}-${last[i]}]`));
    return `${pieces.join("")} ×${this.count}`;
  }

  get path() {
    const { path, name } = this.module;
    return this.isRun ? path.slice(0, path.length - name.length) + this.name : path;
  }

  // `open`: the first modules of what is not drawn as one.
  inside(open) {
    const { children } = this.module;
    const blocks = [];
    for (let i = 0, count; i < children.length; i += count) {
      const child = children[i];
      count = runs.has(child) && !open.has(runs.get(child)) ? Math.max(child.alike, 1) : 1;
      blocks.push(new Block(this.modules.flatMap((module) => module.children.slice(i, i + count)),
        count));
    }
    return blocks;
  }

  // All of them together.
  amount({ of, adds = "sum" }) {
    const amounts = this.modules.map(of);
    if (adds === "most") return Math.max(...amounts);
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    return adds === "mean" ? sum / amounts.length : sum;
  }

  // "each 7,087,872", or the range of what each has.
  eachText({ of, text }) {
    const amounts = this.modules.map(of);
    const least = Math.min(...amounts);
    const most = Math.max(...amounts);
    if (least === most) return `each ${text(most)}`;
    const mean = amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
    return `each ${text(least)} to ${text(most)}, mean ${text(mean)}`;
  }
}

// What modules can be measured by. Parameters and bytes that modules share count once, so a module
// may have less than the modules in it together.
const measures = [
  { key: "parameters", label: "Parameters", total: root.totalParameters, unit: "count",
    of: (module) => module.totalParameters },
  { key: "size", label: "Size", total: root.totalBytes, unit: "bytes",
    of: (module) => module.totalBytes },
  { key: "nodes", label: "Nodes", total: root.totalNodes, unit: "count",
    of: (module) => module.totalNodes },
].map((measure) => ({ ...measure, ...figuresOf(measure.unit, measure.total) }));
if (data.comparison) {
  // What the other model has in a module's place, where that is known.
  ["parameters", "bytes", "nodes"].forEach((column, i) => {
    measures[i].after = (module) => {
      const amount = module.value(`${column}There`);
      return amount < 0 ? null : amount;
    };
  });
}
// What a module has of words.
const words = [];
for (const [i, { id, title, unit, adds, total }] of data.measures.entries()) {
  const label = title[0].toUpperCase() + title.slice(1);
  if (unit === "words") {
    words.push({ key: id, label, of: (module) => module.text(`measure${i}`) });
    continue;
  }
  measures.push({
    id, key: id, label, ...figuresOf(unit, total), total, adds, unit,
    of: (module) => module.value(`measure${i}`), own: (module) => module.value(`own${i}`),
  });
}
const isSum = ({ adds = "sum" }) => adds === "sum";
// The one that a profile or table is of, if that has numbers.
const profiled = measures.find(({ id }) => id && id === data.profile?.measure);
// What another profile has.
if (data.otherProfile) profiled.after = (module) => module.value("otherTimes");
const otherName = data.comparison?.file ?? data.otherProfile;
