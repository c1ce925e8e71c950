// One module: its figures, what it holds itself, and what changed in it.

class ModulePanel {
  #rows = {};
  #items = {};
  #module = root;

  constructor() {
    for (const [name, make] of [["nodes", nodeRow], ["parameters", parameterRow]]) {
      const frame = document.getElementById(name);
      frame.setAttribute("role", "list");
      frame.setAttribute("aria-labelledby", `${name}-title`);
      frame.tabIndex = 0;
      this.#rows[name] = new Rows(frame, (index) => {
        const row = make(this.#items[name][index], this.#module);
        row.setAttribute("role", "listitem");
        row.setAttribute("aria-setsize", this.#items[name].length);
        row.setAttribute("aria-posinset", index + 1);
        return row;
      });
    }
  }

  show({ focus }) {
    this.#module = focus;
    const part = (name) => document.getElementById(`module-${name}`);
    part("title").textContent = focus.path;
    part("class").textContent = focus.className;
    part("facts").replaceChildren(...factsOf(focus));
    part("operators").replaceChildren(...operatorsOf(focus));
    part("change").replaceChildren(...changeOf(focus));
    this.#list("nodes", focus, focus.nodes, focus.ownNodes());
    this.#list("parameters", focus, focus.value("parameterCount"), focus.ownParameters());
  }

  #list(name, module, count, items) {
    const title = count ? `${withThousands(count)} ${name} of its own` : `No ${name} of its own`;
    const leftOut = module.isLeftOut && count ? " (left out of this page)" : "";
    document.getElementById(`${name}-title`).textContent = title + leftOut;
    const frame = document.getElementById(name);
    frame.hidden = items.length === 0;
    frame.classList.toggle("reasons", items.some((item) => item.reason));
    frame.scrollTop = 0;
    this.#items[name] = items;
    this.#rows[name].show(items.length);
  }
}

// A name that begins with the path above it, without that.
const shortened = (name, { path }) =>
  (name.startsWith(`${path}/`) ? `…${name.slice(path.length)}` : name);

const fact = (title, text) =>
  element("div", {}, element("dt", { text: title }), element("dd", { text }));

function factsOf(module) {
  const facts = measures.map(({ of, label, text, total, adds }) =>
    fact(label === "Bytes" ? "Size" : label,
      (adds ?? "sum") === "sum" ? `${text(of(module))} (${percent(of(module), total)})`
        : text(of(module))));
  if (profiled) facts.push(fact(`Own ${profiled.label.toLowerCase()}`,
    profiled.text(profiled.own(module))));
  facts.push(...words.map(({ of, label }) => fact(label, of(module))));
  const calls = module.value("calls");
  if (calls > 1) facts.push(fact("Runs", withThousands(calls)));
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

// The method is how the module is known; the confidence, how surely it is that one.
function nodeRow(node, module) {
  const { id, op, name, output, type, method, confidence, containment, reason, call } = node;
  const how = [`${method} ${(100 * confidence).toFixed(0)} %`];
  if (containment > confidence) how.push(`in there ${(100 * containment).toFixed(0)} %`);
  if (call > 0) how.push(`run ${call}`);
  const cell = (column, text, title = text) =>
    element("span", { class: column, text, title });
  const row = element("div", { class: "item" },
    cell("op", op),
    cell("node", shortened(name, module) || "(no name)", `node ${id}: ${name}`),
    cell("type", type),
    cell("output", output && `→ ${shortened(output, module)}`, output),
    cell("how", how.join(" · ")),
    cell("reason", reason));
  row.classList.toggle("unsure", confidence < 0.5);
  row.classList.toggle("nameless", !name);
  return row;
}

function parameterRow({ name, type, bytes }) {
  return element("div", { class: "item" },
    element("span", { class: "node", text: name, title: name }),
    element("span", { class: "type", text: type }),
    element("span", { class: "figure", text: humanBytes(bytes) }));
}
