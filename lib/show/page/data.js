// The model: modules in the tree's order, and what each holds, put together when it is asked for.

const data = JSON.parse(document.getElementById("data").textContent);

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

for (const list of ["texts", "names", "outputs", "reasons"]) data[list] = readTexts(data[list]);
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

  get name() { return this.parent ? this.text("step").slice(1) : "/"; }
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
  // What a search looks at: dots and slashes are the same to it.
  get key() { return this.path.replaceAll("/", ".").toLowerCase(); }

  // From the root down to this one.
  get line() { return this.parent ? [...this.parent.line, this] : [this]; }
  isInside(other) { return other === this || (this.parent?.isInside(other) ?? false); }

  get isLeftOut() { return this.value("ownNodes") < 0; }

  ownNodes() {
    const rows = this.rows("ownNodes", data.nodeColumns, this.nodes);
    let number = this.value("firstNode");
    return rows.map((row) => {
      number += row.step;
      const text = (column) => data.texts[row[column]];
      const parts = { ...this.signs(), "%": text("op"), "#": number };
      const name = nameOf(data.names[row.name], parts);
      const [method, confidence, containment] = text("how").split(" ");
      return {
        id: text("block") + number, op: text("op"), name, type: text("type"),
        output: nameOf(data.outputs[row.output], { ...parts, "&": name }), method,
        confidence: confidence / 1e4, containment: containment / 1e4,
        reason: data.reasons[row.reason], call: row.call,
      };
    });
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
    const place = data.nodeColumns.indexOf("op");
    for (let id = this.id; id < this.end; ++id) {
      const { nodes, isLeftOut } = modules[id];
      if (isLeftOut) continue;
      const column = data.contents[modules[id].value("ownNodes")][place];
      for (const op of itemsOf(data.columns[column], nodes)) {
        counts.set(op, (counts.get(op) ?? 0) + 1);
      }
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

// What modules can be measured by. Parameters and bytes that modules share count once, so a module
// may have less than the modules in it together.
const measures = [
  { label: "Parameters", text: withThousands, total: root.totalParameters,
    of: (module) => module.totalParameters },
  { label: "Bytes", text: humanBytes, total: root.totalBytes, of: (module) => module.totalBytes },
  { label: "Nodes", text: withThousands, total: root.totalNodes,
    of: (module) => module.totalNodes },
];
// What a module has of words.
const words = [];
for (const [i, { id, title, unit, adds, total }] of data.measures.entries()) {
  const label = title[0].toUpperCase() + title.slice(1);
  if (unit === "words") {
    words.push({ label, of: (module) => module.text(`measure${i}`) });
    continue;
  }
  measures.push({
    id, label, text: figuresOf(unit, total), total, adds, unit,
    of: (module) => module.value(`measure${i}`), own: (module) => module.value(`own${i}`),
  });
}
// The one that a profile or table is of, if that has numbers.
const profiled = measures.find(({ id }) => id && id === data.profile?.measure);
