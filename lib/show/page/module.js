// One module: its figures, what comes in and goes out, what it holds, and what changed in it.

class ModulePanel {
  #rows = {};
  #items = {};
  #module = root;
  #node = null;  // the place of the one that is looked at
  #enter;

  constructor(enter) {
    this.#enter = enter;
    for (const [name, make] of [["nodes", nodeRow], ["parameters", parameterRow]]) {
      const frame = document.getElementById(name);
      frame.setAttribute("role", "list");
      frame.setAttribute("aria-labelledby", `${name}-title`);
      frame.tabIndex = 0;
      this.#rows[name] = new Rows(frame, (index) => {
        const item = this.#items[name][index];
        const row = make(item, this.#module);
        row.dataset.index = index;
        row.setAttribute("role", "listitem");
        row.setAttribute("aria-setsize", this.#items[name].length);
        row.setAttribute("aria-posinset", index + 1);
        row.classList.toggle("chosen", item.place !== undefined && item.place === this.#node);
        return row;
      });
    }
    document.getElementById("nodes").addEventListener("click", (event) => {
      const row = event.target.closest(".item");
      if (row) this.showNode(this.#items.nodes[row.dataset.index].place);
    });
    document.getElementById("nodes").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const first = this.#module.firstPlace;
      const next = this.#node === null ? first : this.#node + step;
      if (next >= first && next < first + this.#items.nodes.length) this.showNode(next);
      event.preventDefault();
    });
  }

  show({ focus, measure, isWired }) {
    const isMoved = this.#module !== focus;
    this.#module = focus;
    const part = (name) => document.getElementById(`module-${name}`);
    part("title").textContent = focus.parent ? focus.path : focus.name;
    part("class").textContent = focus.className;
    part("copies").replaceChildren(...copiesOf(focus));
    part("facts").replaceChildren(...factsOf(focus, measure));
    part("operators").replaceChildren(...operatorsOf(focus));
    part("change").replaceChildren(...changeOf(focus));
    if (isWired) part("values").replaceChildren(...this.#values(focus));
    if (!isMoved && this.#items.nodes) return;
    this.#node = null;
    this.#showNode();
    this.#list("nodes", focus, focus.nodes, focus.ownNodes());
    this.#list("parameters", focus, focus.value("parameterCount"), focus.ownParameters());
  }

  // Of a place: the module that has it comes into focus.
  showNode(place) {
    const module = moduleAt(place);
    if (module !== this.#module) this.#enter(module);
    this.#node = place;
    this.#rows.nodes.reveal(place - module.firstPlace);
    this.#showNode();
  }

  #list(name, module, count, items) {
    const noun = name.slice(0, -1);
    const title = count ? `${counted(count, noun)} of its own` : `No ${name} of its own`;
    const leftOut = module.isLeftOut && count ? " (left out of this page)" : "";
    document.getElementById(`${name}-title`).textContent = title + leftOut;
    const frame = document.getElementById(name);
    frame.hidden = items.length === 0;
    frame.classList.toggle("reasons", items.some((item) => item.reason));
    frame.scrollTop = 0;
    this.#items[name] = items;
    this.#rows[name].show(items.length);
  }

  #link(text, go) {
    const link = element("button", { type: "button", class: "link", text });
    link.addEventListener("click", go);
    return link;
  }

  #moduleLink(module) {
    return this.#link(module.parent ? module.path : module.name, () => this.#enter(module));
  }

  #values(module) {
    const most = 30;
    const listed = (title, values, preposition, ofModel) => {
      if (values.length === 0) return [];
      const rows = values.slice(0, most).map(({ name, type, modules: others, isModels }) =>
        element("li", {}, element("b", { text: shortened(name, module) }), ` ${type} `,
          ...(isModels ? [element("span", { class: "quiet", text: ofModel })] : []),
          ...others.slice(0, 3).flatMap((other, i) =>
            [i === 0 ? ` ${preposition} ` : ", ", this.#moduleLink(other)]),
          others.length > 3 ? ` and ${others.length - 3} more` : ""));
      const more = values.length - rows.length;
      if (more > 0) rows.push(element("li", { text: `${withThousands(more)} more` }));
      return [element("h3", { text: title }), element("ul", {}, ...rows)];
    };
    if (module.isLeftOut) return [];
    const { into, out } = valuesOf(module);
    return [...listed("In", into, "from", "the model's input"),
      ...listed("Out", out, "to", "the model's output")];
  }

  // All that is known of one node.
  #showNode() {
    const frame = document.getElementById("node");
    frame.hidden = this.#node === null;
    if (this.#node === null) return;
    this.#rows.nodes.draw();
    const node = nodeAt(this.#node);
    const nodeLink = (place) => {
      const { name, op, id } = nodeAt(place);
      return this.#link(name || `${op} ${id}`, () => this.showNode(place));
    };
    const inputs = wiring().inputs(this.#node).map(({ maker, slot, name, parameter }) => {
      if (maker >= 0) {
        const made = nodeAt(maker);
        return element("li", {}, `${made.outputs[slot]} ${made.types[slot] ?? ""} from `,
          nodeLink(maker));
      }
      const own = this.#items.parameters[parameter];
      const owner = own ? { module: node.module, ...own } : parameterOwners().get(name);
      if (!owner) return element("li", { text: `${name ?? ""} ${modelInputs.get(name) ?? ""}` });
      return element("li", {}, `${owner.name} ${owner.type}, a parameter of `,
        this.#moduleLink(owner.module));
    });
    const readers = wiring().readers(this.#node);
    const outputs = node.outputs.map((name, i) => {
      const of = readers.filter(({ slot }) => slot === i).slice(0, 20);
      return element("li", {}, `${name} ${node.types[i] ?? ""}`, of.length ? " to " : "",
        ...of.flatMap(({ reader }, n) => [n ? ", " : "", nodeLink(reader)]));
    });
    const list = (title, items) =>
      (items.length ? line(title, element("ul", {}, ...items)) : []);
    const line = (title, ...content) =>
      [element("dt", { text: title }), element("dd", {}, ...content)];
    const why = [howText(node), node.reason].filter(Boolean).join(": ");
    frame.replaceChildren(
      element("h3", { text: `${node.op} ${node.id}` }),
      element("dl", {}, ...line("Name", node.name || "(no name)"),
        ...line("Module", this.#moduleLink(node.module)), ...line("Why", why),
        ...list("Reads", inputs), ...list("Makes", outputs),
        ...(node.attributes ? line("Attributes", node.attributes) : [])));
  }
}

// A name that begins with the path above it, without that.
const shortened = (name, { path }) =>
  (name.startsWith(`${path}/`) ? `…${name.slice(path.length)}` : name);

const fact = (title, text, about) =>
  element("div", { title: about }, element("dt", { text: title }), element("dd", { text }));

// For a terminal, and for whoever is asked about it.
function copiesOf(module) {
  const name = module.path.slice(1).replaceAll("/", ".") || "/";
  const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const words = `${quoted(data.file)} ${quoted(name)}`;
  const copies = [["name", name], ["select", `onnx-hier select ${words}`],
    ["extract", `onnx-hier extract ${words} -o part.onnx`]];
  return copies.map(([what, text]) => {
    const button = element("button", { type: "button", text: `Copy ${what}`, title: text });
    button.addEventListener("click", async () => {
      button.textContent = await copied(text) ? "Copied" : text;
      setTimeout(() => { button.textContent = `Copy ${what}`; }, 1500);
    });
    return button;
  });
}

// A frame without rights may not use the clipboard but by way of a selection.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", {});
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}

function factsOf(module, chosen) {
  const facts = measures.map((measure) => {
    const { of, label, short, text, total } = measure;
    const share = isSum(measure) ? ` (${percent(of(module), total)})` : "";
    const after = measure.after?.(module) ?? null;
    const arrow = after !== null && after !== of(module) ? ` → ${short(after)}` : "";
    const made = fact(label, short(of(module)) + (arrow || share),
      `${text(of(module))}${after === null ? "" : `; in ${otherName} ${text(after)}`}`);
    made.classList.toggle("chosen", measure === chosen);
    return made;
  });
  if (profiled) facts.push(fact(`Own ${profiled.label.toLowerCase()}`,
    profiled.text(profiled.own(module)), "without that of modules inside"));
  facts.push(...words.map(({ of, label }) => fact(label, of(module))));
  const calls = module.value("calls");
  if (calls > 1) facts.push(fact("Runs", withThousands(calls),
    "so often the model calls this module"));
  return facts;
}

// Of the module and all that is in it.
function operatorsOf(module) {
  const mostShown = 12;
  const operators = module.operators();
  const shown = operators.slice(0, mostShown).map(([op, count]) =>
    element("li", {}, element("b", { text: op }), ` ${withThousands(count)}`));
  const more = operators.length - shown.length;
  return more > 0 ? [...shown, element("li", { text: `${more} more` })] : shown;
}

function changeOf(module) {
  if (!data.comparison) return [];
  const text = `Compared with ${data.comparison.file}: ${changeText(module)}`;
  const lines = [element("p", { text })];
  const details = module.change ? module.text("changeDetails") : "";
  if (details) lines.push(element("p", { class: "details", text: details }));
  return lines;
}

// How the module of a node is known, and how surely it is that one.
function howText({ method, confidence, containment, call }) {
  const how = [`${method} ${(100 * confidence).toFixed(0)} %`];
  if (containment > confidence) how.push(`inside it ${(100 * containment).toFixed(0)} %`);
  if (call > 0) how.push(`run ${call}`);
  return how.join(" · ");
}

function nodeRow(node, module) {
  const { id, op, name, outputs, types, confidence, reason } = node;
  const cell = (column, text, title = text) =>
    element("span", { class: column, text, title });
  const made = outputs.map((output) => shortened(output, module)).join(", ");
  const row = element("div", { class: "item" },
    cell("op", op),
    cell("node", shortened(name, module) || "(no name)", `node ${id}: ${name}`),
    cell("type", types[0]),
    cell("output", made && `→ ${made}`, outputs.join("\n")),
    cell("how", howText(node)),
    cell("reason", reason));
  row.classList.toggle("unsure", confidence < 0.5);
  row.classList.toggle("nameless", !name);
  return row;
}

function parameterRow({ name, type, bytes }) {
  return element("div", { class: "item" },
    element("span", { class: "node", text: name, title: name }),
    element("span", { class: "type", text: type }),
    element("span", { class: "figure", text: humanBytes(bytes), title: counted(bytes, "byte") }));
}
