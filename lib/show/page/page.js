// The page: what is in focus, by what it is drawn, what is looked for; the parts show these.

const byId = (id) => document.getElementById(id);
// Who gave a profile wants to see it; a model without parameters has nodes.
const firstMeasure = profiled ?? measures.find(({ total }) => total > 0) ?? measures[0];
const firstColor = data.comparison ? "change" : data.otherProfile ? "difference" : "name";
const state = {
  focus: root,
  measure: firstMeasure,
  coloring: byName,
  open: new Set(),  // the first modules of runs of alike ones that are not drawn as one
  sort: undefined,  // the key of a column, with "-" the least first
  hits: null,       // what a search has found
  marked: null,     // modules that it is in; null: nothing is looked for
  shown: null,      // ... with what is around them
  isWired: placesEnd < 20000,  // where that takes its time, the rest is drawn before
};
const panel = new ModulePanel(zoomTo);
const tree = new Tree(enter, change);
const picture = new Icicle(enter);
const parts = [picture, tree, new Flow(enter), panel];
const hitRows = new Rows(byId("hits"), (index) => {
  const row = hitRow(state.hits[index]);
  row.dataset.index = index;
  row.classList.toggle("chosen", index === hitAt);
  return row;
});
let hitAt = -1;

function show() {
  parts.forEach((part) => part.show(state));
  const crumbs = state.focus.line.map((module) => {
    const crumb = element("button", { type: "button", text: module.name });
    crumb.addEventListener("click", () => zoomTo(module));
    return crumb;
  });
  crumbs.at(-1).setAttribute("aria-current", "location");
  byId("crumbs").replaceChildren(...crumbs);
  byId("legend").replaceChildren(...state.coloring.legend());
}

function change(changes) {
  Object.assign(state, changes);
  tellAddress();
  show();
}

// What is drawn as one is opened; else the module comes into focus.
function enter(module) {
  const first = module.line.map((each) => runs.get(each))
    .find((run) => run && !state.open.has(run));
  if (first && state.shown === null) change({ open: new Set([...state.open, first]) });
  else zoomTo(module);
}

// The address says what is shown, so that "back" works, and links do: "#/encoder?size=nodes".
function address() {
  const path = encodeURIComponent(state.focus.path).replaceAll("%2F", "/");
  const said = [["size", state.measure.key, firstMeasure.key],
    ["color", state.coloring.key, firstColor], ["sort", state.sort], ["find", byId("search").value]]
    .filter(([, value, usual]) => value && value !== usual)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `#${path}${said.length ? `?${said.join("&")}` : ""}`;
}

// Another module is another entry of the history.
function tellAddress(isNew = false) {
  const text = address();
  try {
    if (text === location.hash) return;
    if (isNew) location.hash = text;
    else history.replaceState(null, "", text);
  } catch {
    // A page in a frame without rights has no address.
  }
}

function focusOn(module) {
  state.focus = module;
  const around = module.line.map((each) => runs.get(each)).filter(Boolean);
  if (around.length) state.open = new Set([...state.open, ...around]);
}

function zoomTo(module) {
  if (module === state.focus) return;
  focusOn(module);
  tellAddress(true);
  show();
}

function followAddress() {
  let [path, query] = location.hash.slice(1).split("?");
  try {
    path = decodeURIComponent(path);
  } catch {
    // A broken address is the root's.
  }
  const said = new URLSearchParams(query);
  state.measure = measures.find(({ key }) => key === said.get("size")) ?? firstMeasure;
  setColoring(said.get("color"));
  state.sort = said.get("sort") ?? undefined;
  if ((said.get("find") ?? "") !== byId("search").value) {
    byId("search").value = said.get("find") ?? "";
    look();
  }
  focusOn(byPath.get(path) ?? root);
  showChoices();
  show();
}

function setColoring(key) {
  const [, make] = colorings.get(key) ?? colorings.get(firstColor);
  state.coloring = make();
}

function showHeader() {
  document.title = `${data.file} – onnx-hier`;
  byId("file").textContent = data.file;
  byId("origin").textContent = [data.producer, `opset ${data.opsets}`,
    `IR version ${data.irVersion}`, `names: ${data.dialect}`].filter(Boolean).join(" · ");
  byId("origin").title = "Names: how this exporter writes the modules of a node into its name.";
  const facts = [
    ["Nodes", withThousands(data.nodeCount)], ["Modules", withThousands(data.moduleCount)],
    ["Parameters", withThousands(root.totalParameters)], ["Weights", humanBytes(root.totalBytes)],
    ["File", humanBytes(data.fileBytes)],
    ["Placed", percent(data.tagged, data.nodeCount), "nodes of which a module is known"],
    ["Less than 50 % sure", counted(data.unsure, "node"),
      "nodes whose module is not the likeliest by far"],
  ];
  if (profiled) {
    const { label, unit, text, total } = profiled;
    const title = unit === "ns" ? `Time of ${data.profile.summed ? "all runs" : "a run"}` : label;
    facts.push([title, text(total)]);
  }
  byId("totals").replaceChildren(...facts.map((each) => fact(...each)));
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
    if (data.otherProfile) list.push(note(`Compared with ${data.otherProfile}: ` +
      `${profiled.text(profiled.total)} → ${profiled.text(profiled.after(root))}`));
    if (profile.unplacedKernels > 0) list.push(note(unplacedKernels(profile)));
  }
  if (comparison) {
    const { file, same, changed } = comparison;
    list.push(note(element("details", { open: "" },
      element("summary", { text: `Compared with ${file} (B; this model is A): ` +
        `${counted(same, "module")} the same, ${withThousands(changed)} changed` }),
      element("pre", { tabindex: 0, text: comparison.text }))));
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

function showChoices() {
  byId("measures").querySelectorAll("label").forEach((label) => label.remove());
  for (const measure of measures) {
    const input = element("input", { type: "radio", name: "measure" });
    input.checked = measure === state.measure;
    input.addEventListener("change", () => change({ measure }));
    byId("measures").append(element("label", {}, input, element("span", { text: measure.label })));
  }
  byId("color").replaceChildren(...[...colorings].map(([key, [label]]) => {
    const option = element("option", { value: key, text: label });
    option.selected = key === state.coloring.key;
    return option;
  }));
}

// What a search has found, or what has changed.
function look() {
  const onlyChanged = byId("only-changed").checked;
  state.hits = find(byId("search").value);
  hitAt = -1;
  state.marked = state.hits && new Set(state.hits.map(({ module }) => module));
  if (onlyChanged) {
    state.marked = new Set([...state.marked ?? modules].filter(({ change: made }) => made));
  }
  state.shown = state.marked && withWhatIsAround(state.marked);
  byId("found").textContent = state.hits ? foundText(state.hits) : "";
  byId("hits").hidden = !state.hits?.length;
  byId("hits").scrollTop = 0;
  hitRows.show(state.hits?.length ?? 0);
}

function withWhatIsAround(found) {
  const all = new Set();
  for (const module of found) {
    for (let at = module; at && !all.has(at); at = at.parent) all.add(at);
  }
  return all;
}

function goToHit(index) {
  const hit = state.hits?.[index];
  if (!hit) return;
  hitAt = index;
  hitRows.reveal(index);
  zoomTo(hit.module);
  if (hit.place !== undefined) panel.showNode(hit.place);
}

// The picture as a file. Colours are as the browser has worked them out.
function savePicture(kind) {
  const [width, height] = picture.size;
  const canvas = element("canvas", { width: 2 * width, height: 2 * height });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const plainColor = (color) => {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return `rgb(${[...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)})`;
  };
  const boxes = picture.boxes.map((box) => ({ ...box, fill: plainColor(box.style.backgroundColor),
    ink: plainColor(box.style.color) }));
  const ground = plainColor(getComputedStyle(document.documentElement).backgroundColor);
  const name = `${root.name}_modules`;
  if (kind === "svg") {
    const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height },
      svg("rect", { width, height, fill: ground }),
      ...boxes.map(({ left, top, width: w, height: h, text, title, fill, ink }) =>
        svg("svg", { x: left, y: top, width: w, height: h }, svg("title", {}, title),
          svg("rect", { width: w, height: h, rx: 3, fill }),
          svg("text", { x: 6, y: 16, fill: ink, "font-family": "system-ui, sans-serif",
            "font-size": 12 }, text))));
    saveFile(`${name}.svg`, new XMLSerializer().serializeToString(drawn), "image/svg+xml");
    return;
  }
  pen.scale(2, 2);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, width, height);
  pen.font = "12px system-ui, sans-serif";
  for (const { left, top, width: w, height: h, text, fill, ink } of boxes) {
    pen.save();
    pen.beginPath();
    pen.rect(left, top, w, h);
    pen.clip();
    pen.fillStyle = fill;
    pen.fillRect(left, top, w, h);
    pen.fillStyle = ink;
    pen.fillText(text, left + 6, top + 16);
    pen.restore();
  }
  canvas.toBlob((blob) => saveFile(`${name}.png`, blob, "image/png"));
}

function saveFile(name, content, type) {
  const link = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: link, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(link), 10000);
}

byId("search").addEventListener("input", () => {
  look();
  tellAddress();
  show();
});
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") goToHit(Math.max(0, hitAt + (event.shiftKey ? -1 : 1)));
  if (event.key === "ArrowDown") tree.focus();
});
byId("hits").addEventListener("click", (event) => {
  const row = event.target.closest(".item");
  if (row) goToHit(Number(row.dataset.index));
});
byId("only-changed").addEventListener("change", () => {
  look();
  show();
});
byId("color").addEventListener("change", () => {
  setColoring(byId("color").value);
  change({});
});
byId("expand").addEventListener("click", () => tree.setOpen(true));
byId("collapse").addEventListener("click", () => tree.setOpen(false));
byId("save-svg").addEventListener("click", () => savePicture("svg"));
byId("save-png").addEventListener("click", () => savePicture("png"));
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
    look();
    change({});
  } else if (state.focus.parent) {
    zoomTo(state.focus.parent);
  }
});

showHeader();
byId("change-choice").hidden = !data.comparison;
const review = new Review(byId("review"), data.review ?? []);
followAddress();
if (!state.isWired) setTimeout(() => change({ isWired: true }), 50);
