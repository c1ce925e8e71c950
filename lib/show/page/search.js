// What people look for: modules, nodes, operators, values, parameters, by words or by the patterns
// of the commands.

// Dots and slashes are the same to a search.
const plain = (text) => text.toLowerCase().replaceAll("/", ".");

const searched = later(() => {
  const items = [];
  const add = (kind, module, text, more) =>
    items.push({ kind, module, text, plain: plain(text), key: plain(`${text} ${more}`) });
  for (const module of modules) {
    add("module", module, module.path, module.className);
    for (const node of module.ownNodes()) {
      add("node", module, node.name || node.outputs[0], `${node.op} ${node.outputs} ${node.id}`);
      Object.assign(items.at(-1), { place: node.place, op: node.op });
    }
    for (const { name, type } of module.ownParameters()) add("parameter", module, name, type);
  }
  for (const [name, type] of modelInputs) add("input", root, name, type);
  return items;
});

// Whether it is one of the commands' patterns, as these read it: a path in which "*" is any part of
// a name, "**" any number of names, "[2-5]" a number, "{a,b}" either, "@Name" a class.
const isPattern = (word) => /[*{@[]/.test(word);

function patternTest(word) {
  const escaped = (text) => text.replace(/[.+?^$()|\\/\]}]/g, "\\$&");
  const signs = /(\*\*\.?|\*|\[\d+-\d+\]|\{[^{}]*\}|@[\w.]+)/;
  const pieces = plain(word).replace(/^\./, "").split(signs);
  let className = "";
  const pattern = pieces.map((piece) => {
    if (piece.startsWith("**")) return piece.endsWith(".") ? "(?:.*\\.)?" : ".*";
    if (piece === "*") return "[^.]*";
    if (piece.startsWith("{")) return `(?:${piece.slice(1, -1).split(",").map(escaped).join("|")})`;
    if (/^\[\d/.test(piece)) return "(\\d+)";
    if (piece.startsWith("@")) {
      className = piece.slice(1);
      return word.trim() === piece ? ".*" : "[^.]*";
    }
    return escaped(piece);
  }).join("");
  const ranges = [...word.matchAll(/\[(\d+)-(\d+)\]/g)].map((range) => range.slice(1).map(Number));
  const whole = new RegExp(`^\\.?${pattern}$`);
  return ({ kind, plain: text, module }) => {
    if (className && (kind !== "module" ||
      module.className.toLowerCase().split(".").at(-1) !== className)) return false;
    const found = whole.exec(text);
    return found !== null && ranges.every(([from, to], i) => {
      const number = Number(found[i + 1]);
      return from <= number && number <= to;
    });
  };
}

function wordTest(word) {
  const wanted = plain(word);
  return ({ key }) => key.includes(wanted);
}

// Of a module's path its own part must be meant by a word, or by its class.
function isOwnPart({ module, plain: text, key }, words) {
  const around = module.parent?.parent ? module.parent.path.length : 0;
  return words.some((word) => {
    const wanted = plain(word);
    return text.lastIndexOf(wanted) + wanted.length > around && text.includes(wanted) ||
      key.lastIndexOf(wanted) > text.length;
  });
}

// What is found, what is called exactly so first; null: nothing is looked for.
function find(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const tests = words.map((word) => (isPattern(word) ? patternTest(word) : wordTest(word)));
  const anyWords = words.filter((word) => !isPattern(word));
  const hits = searched().filter((item) => tests.every((test) => test(item)) &&
    (item.kind !== "module" || anyWords.length === 0 || isOwnPart(item, anyWords)));
  const wanted = plain(text.trim());
  const isExact = (item) => Number(item.plain === wanted || item.plain === `.${wanted}`);
  return hits.sort((a, b) =>
    isExact(b) - isExact(a) || kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}
const kinds = ["module", "node", "parameter", "input"];

// "2 modules, 4 nodes"
function foundText(hits) {
  const texts = kinds.map((kind) => [kind, hits.filter((hit) => hit.kind === kind).length])
    .filter(([, count]) => count > 0).map(([kind, count]) => counted(count, kind));
  return texts.join(", ") || "nothing found";
}

function hitRow({ kind, module, text, op }) {
  const cell = (column, content, title) =>
    element("span", { class: column, text: content, title });
  return element("div", { class: "item" }, cell("kind", op ?? kind),
    cell("node", text, text), cell("where", kind === "module" ? module.className : module.path));
}
