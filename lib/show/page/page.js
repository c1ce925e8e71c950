// The page: one module in focus, one measure, one search; the parts show these.

const byId = (id) => document.getElementById(id);
// Who gave a profile wants to see it; a model without parameters has nodes.
const first = profiled ?? measures.find(({ total }) => total > 0);
const state = { focus: root, measure: first ?? measures[0], matches: null };
const parts = [new Icicle(zoomTo), new Tree(zoomTo), new ModulePanel()];
const tree = parts[1];

function show() {
  parts.forEach((part) => part.show(state));
  const crumbs = state.focus.line.map((module) => {
    const crumb = element("button", { type: "button", text: module.name });
    crumb.addEventListener("click", () => zoomTo(module));
    return crumb;
  });
  crumbs.at(-1).setAttribute("aria-current", "location");
  byId("crumbs").replaceChildren(...crumbs);
}

// The address says which module is in focus, so that "back" works, and links do.
function zoomTo(module) {
  if (module === state.focus) return;
  location.hash = encodeURIComponent(module.path);
  // The browser's event about it comes later than the next key may.
  followAddress();
}

function followAddress() {
  const module = moduleOfAddress();
  if (module === state.focus) return;
  state.focus = module;
  show();
}

function moduleOfAddress() {
  let path = "/";
  try {
    path = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A broken address is the root's.
  }
  return modules.find((module) => module.path === path) ?? root;
}

function showHeader() {
  document.title = `${data.file} – onnx-hier`;
  byId("file").textContent = data.file;
  byId("origin").textContent = [data.dialect, data.producer, `opset ${data.opsets}`,
    `IR version ${data.irVersion}`].filter(Boolean).join(" · ");
  const facts = [
    ["Nodes", withThousands(data.nodeCount)], ["Modules", withThousands(data.moduleCount)],
    ["Parameters", withThousands(root.totalParameters)], ["Weights", humanBytes(root.totalBytes)],
    ["File", humanBytes(data.fileBytes)], ["Coverage", percent(data.tagged, data.nodeCount)],
    ["Less than 50 % sure", counted(data.unsure, "node")],
  ];
  if (profiled) {
    const { label, unit, text, total } = profiled;
    const title = unit === "ns" ? `Time of ${data.profile.summed ? "all runs" : "a run"}` : label;
    facts.push([title, text(total)]);
  }
  byId("totals").replaceChildren(...facts.map(([title, text]) => fact(title, text)));
  byId("notes").replaceChildren(...notes());
  byId("generator").textContent = `Made by ${data.generator}. This page asks nobody for anything.`;
}

function notes() {
  const note = (...content) => element("li", {}, ...content);
  const list = [];
  const { profile, comparison } = data;
  if (profile) {
    const isTable = profile.kind === "table";
    const what = isTable ? "Table" : "Times";
    const runs = isTable ? "" : `, ${counted(profile.runs, "run")}`;
    list.push(note(`${what}: ${profile.file} (${profile.kind})${runs}`));
    if (profile.unplacedKernels > 0) list.push(note(unplacedKernels(profile)));
  }
  if (comparison) {
    const { file, same, changed, unread, rootHere, rootThere } = comparison;
    list.push(note(`Compared with ${file} (B; this model is A): ${counted(same, "module")} ` +
      `the same, ${withThousands(changed)} changed`));
    if (rootHere !== rootThere) list.push(note(`${rootHere} of A is ${rootThere} of B`));
    if (unread > 0) {
      list.push(note(`Not compared: the contents of ${counted(unread, "parameter")}, ` +
        "which could not be read"));
    }
  }
  if (data.leftOut > 0) {
    list.push(note(`Left out, for the page would be too large: ${counted(data.leftOut, "node")} ` +
      "of the last modules, one by one. All figures count them."));
  }
  return list;
}

function unplacedKernels({ unplaced, total, unplacedKernels: count, kernels }) {
  const text = profiled?.text ?? withThousands;
  const noun = data.profile.kind === "table" ? "row" : "kernel";
  const items = kernels.map(([name, amount]) =>
    element("li", { text: `${text(amount)}  ${name}` }));
  if (count > kernels.length) items.push(element("li", { text: "…" }));
  return element("details", {},
    element("summary", { text: `Not placed: ${text(unplaced)} ` +
      `(${percent(unplaced, total)}) in ${counted(count, noun)}` }),
    element("ul", {}, ...items));
}

function showMeasures() {
  for (const measure of measures) {
    const input = element("input", { type: "radio", name: "measure" });
    input.checked = measure === state.measure;
    input.addEventListener("change", () => {
      state.measure = measure;
      show();
    });
    byId("measures").append(element("label", {}, input, element("span", { text: measure.label })));
  }
}

// Modules whose own part of the path, or whose class, has the words in it.
function find(words) {
  const wanted = words.trim().toLowerCase();
  const key = wanted.replaceAll("/", ".");
  if (!wanted) return null;
  return new Set(modules.filter((module) => {
    if (module.className.toLowerCase().includes(wanted)) return true;
    const around = module.parent?.parent ? module.parent.key.length : 0;
    return module.key.lastIndexOf(key) + key.length > around && module.key.includes(key);
  }));
}

function search() {
  state.matches = find(byId("search").value);
  byId("found").textContent = state.matches ? counted(state.matches.size, "module") : "";
  show();
}

function showOther() {
  const rows = data.comparison?.onlyThere ?? [];
  if (rows.length === 0) return;
  byId("other").append(
    element("h2", { text: `Only in ${data.comparison.file}: ${counted(rows.length, "module")}` }),
    element("ul", {}, ...rows.map(([path, details]) =>
      element("li", { text: path }, element("span", { class: "quiet", text: `  ${details}` })))));
}

byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && state.matches?.size) zoomTo([...state.matches][0]);
  if (event.key === "ArrowDown") tree.focus();
});
byId("expand").addEventListener("click", () => tree.setOpen(true));
byId("collapse").addEventListener("click", () => tree.setOpen(false));
window.addEventListener("hashchange", followAddress);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target === byId("search");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    byId("search").focus();
  }
  if (event.key !== "Escape") return;
  if (isTyping && byId("search").value) {
    byId("search").value = "";
    search();
  } else if (state.focus.parent) {
    zoomTo(state.focus.parent);
  }
});

showHeader();
showMeasures();
showOther();
const review = new Review(byId("review"), data.review ?? []);
state.focus = moduleOfAddress();
show();
