// Where data goes in a module: its children as boxes with arrows, lists as one.

const pictures = document.querySelector("svg").namespaceURI;
const svg = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS(pictures, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

class Flow {
  static #most = 40;     // boxes
  static #height = 40;   // pixels: of a box
  static #gap = 34;      // between layers

  #frame = document.getElementById("flow");
  #enter;
  #opened = new Set();  // lists of the module in focus
  #focus;
  #state;

  constructor(enter) { this.#enter = enter; }

  show(state) {
    const { focus, measure } = state;
    if (focus !== this.#focus) this.#opened.clear();
    this.#focus = focus;
    this.#state = state;
    this.#frame.replaceChildren();
    if (!state.isWired || focus.children.length === 0 || focus.isLeftOut) return;
    const boxes = this.#boxesOf(focus);
    if (boxes.length > Flow.#most) {
      const text = `${counted(boxes.length, "part")}: too many for a picture.`;
      this.#frame.append(element("p", { class: "quiet", text }));
      return;
    }
    const { all, arrows } = flowOf(focus, boxes, Flow.#most);
    for (const box of all) {
      box.text = box.block?.name ?? box.label;
      box.small = box.block ? measure.short(box.block.amount(measure)) : "";
      box.width = Math.max(38, 16 + 7.4 * Math.max(box.text.length, box.small.length));
    }
    const layers = layered(all, arrows);
    this.#frame.append(this.#drawn(layers, arrows));
  }

  // One for each child, or for all members of a list.
  #boxesOf(focus) {
    const lists = new Map();
    for (const module of focus.children) {
      const [, list] = /^(.+)\.\d+$/.exec(module.name) ?? [];
      const key = list && !this.#opened.has(list) ? list : module;
      lists.set(key, [...(lists.get(key) ?? []), module]);
    }
    const boxes = [...lists].map(([list, members]) => {
      const block = new Block(members, members.length);
      const isAlike = members.every((member) => runs.get(member) === runs.get(members[0]));
      const name = `${list} [${members.length}]`;
      if (members.length > 1 && !isAlike) Object.defineProperty(block, "name", { value: name });
      return { block, list: members.length > 1 ? list : null };
    });
    if (boxes.length <= Flow.#most) return boxes;
    return new Block([focus]).inside(this.#state.open).map((block) => ({ block, list: null }));
  }

  #choose({ block, list }) {
    if (list === null) {
      this.#enter(block.module);
      return;
    }
    this.#opened.add(list);
    this.show(this.#state);
  }

  #drawn({ rows, width }, arrows) {
    const step = Flow.#height + Flow.#gap;
    const height = rows.length * step + 8;
    rows.forEach((row, layer) => row.forEach((box) => { box.y = 8 + layer * step; }));
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
      "aria-label": `how data goes through ${this.#state.focus.name}` });
    for (const { route, isBack } of arrows) picture.append(...this.#arrow(route, isBack));
    for (const box of rows.flat()) if (!box.isBend) picture.append(this.#box(box));
    return picture;
  }

  #arrow(route, isBack) {
    let path = "";
    route.forEach((box, i) => {
      const top = box.y;
      const bottom = box.y + (box.isBend ? 0 : Flow.#height);
      if (i === 0) {
        path = `M${box.x} ${isBack ? top : bottom}`;
        return;
      }
      const before = route[i - 1];
      const from = isBack ? before.y : before.y + (before.isBend ? 0 : Flow.#height);
      const to = isBack ? bottom : top;
      path += `C${before.x} ${(from + to) / 2} ${box.x} ${(from + to) / 2} ${box.x} ${to}`;
    });
    const { x, y } = route.at(-1);
    const head = `M${x - 4} ${isBack ? `${y + Flow.#height + 7}l4-7 4 7z` : `${y - 7}l4 7 4-7z`}`;
    return [svg("path", { class: isBack ? "arrow back" : "arrow", d: path }),
      svg("path", { class: "head", d: head })];
  }

  #box(box) {
    const { block, x, y, width, text, small } = box;
    const kind = block ? "module" : box.kind;
    const shape = svg("rect", { x: x - width / 2, y, width, height: Flow.#height,
      rx: block ? 5 : 20 });
    const label = svg("text", { x, y: y + (small ? 17 : 24) }, text);
    const drawn = svg("g", { class: `box ${kind}` }, shape, label);
    if (!block) return drawn;
    drawn.append(svg("text", { x, y: y + 32, class: "small" }, small));
    this.#state.coloring.paint(drawn, block);
    drawn.setAttribute("tabindex", 0);
    drawn.setAttribute("role", "button");
    drawn.addEventListener("click", () => this.#choose(box));
    drawn.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#choose(box);
    });
    return drawn;
  }
}

// The boxes with what comes in, what goes out and the module's own nodes where data meet; and the
// arrows between them. A node with data from one box only counts for that box.
function flowOf(module, boxes, most) {
  const end = modules[module.end]?.firstPlace ?? placesEnd;
  const into = { label: "in", kind: "port" };
  const out = { label: "out", kind: "port" };
  const boxAt = new Map(boxes.flatMap((box) => box.block.modules.map((one) => [one, box])));
  const sources = new Map();  // of places: a box
  const arrows = new Map();
  const meetings = [];
  const connect = (from, to) => {
    if (!from || from === to) return;
    if (!arrows.has(from)) arrows.set(from, new Set());
    arrows.get(from).add(to);
  };
  const sourceOf = ({ maker, name }) => {
    if (maker >= module.firstPlace && maker < end) return sources.get(maker);
    const isData = maker >= 0 ? nodeAt(maker).op !== "Constant" : modelInputs.has(name);
    return isData ? into : undefined;
  };
  const ownEnd = module.firstPlace + module.nodes;
  for (const child of module.children) {
    const stop = modules[child.end]?.firstPlace ?? placesEnd;
    for (let place = child.firstPlace; place < stop; ++place) sources.set(place, boxAt.get(child));
  }
  const own = module.isLeftOut ? [] : module.ownNodes();
  own.forEach(({ op }, index) => {
    const place = module.firstPlace + index;
    const from = new Set(wiring().inputs(place).map(sourceOf).filter(Boolean));
    if (from.size < 2 || boxes.length + meetings.length >= most) {
      sources.set(place, [...from].at(-1));
      return;
    }
    const box = { label: op, kind: "node" };
    meetings.push(box);
    sources.set(place, box);
    from.forEach((each) => connect(each, box));
  });
  for (let place = ownEnd; place < end; ++place) {
    const box = sources.get(place);
    for (const input of wiring().inputs(place)) connect(sourceOf(input), box);
  }
  const given = new Set([...modelOutputs().keys()].map((key) => Number(key.split(":")[0])));
  for (let place = module.firstPlace; place < end; ++place) {
    const leaves = wiring().readers(place)
      .some(({ reader }) => reader < module.firstPlace || reader >= end);
    if (leaves || given.has(place)) connect(sources.get(place), out);
  }
  const pairs = [...arrows].flatMap(([from, tos]) => [...tos].map((to) => ({ from, to })));
  const used = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const ports = [into, out].filter((port) => used.has(port));
  return { all: [...ports, ...boxes, ...meetings], arrows: pairs };
}

// Puts boxes into layers, each below all it has data from; gives them their places, and arrows the
// boxes and bends that they pass.
function layered(boxes, arrows) {
  const targets = new Map(boxes.map((box) => [box, []]));
  for (const arrow of arrows) targets.get(arrow.from).push(arrow);
  // An arrow to a box that it comes from goes back.
  const seen = new Map();
  const order = [];
  const visit = (box) => {
    seen.set(box, "open");
    for (const arrow of targets.get(box)) {
      if (!seen.has(arrow.to)) visit(arrow.to);
      else if (seen.get(arrow.to) === "open") arrow.isBack = true;
    }
    seen.set(box, "done");
    order.unshift(box);
  };
  for (const box of boxes) if (!seen.has(box)) visit(box);
  for (const box of order) box.layer ??= 0;
  for (const box of order) {
    for (const { to, isBack } of targets.get(box)) {
      if (!isBack) to.layer = Math.max(to.layer, box.layer + 1);
    }
  }
  const rows = [];
  const put = (box, layer) => (rows[layer] ??= []).push(box);
  for (const box of boxes) put(box, box.layer);
  for (const arrow of arrows) {
    const { from, to } = arrow;
    const [top, bottom] = from.layer < to.layer ? [from, to] : [to, from];
    arrow.route = [top];
    for (let layer = top.layer + 1; layer < bottom.layer; ++layer) {
      const bend = { isBend: true, width: 4, layer };
      put(bend, layer);
      arrow.route.push(bend);
    }
    arrow.route.push(bottom);
    if (top !== from) arrow.route.reverse();
  }
  return { rows, width: placed(rows, arrows) };
}

// Beside what they are connected with, without overlaps. Returns the width of all.
function placed(rows, arrows) {
  const gap = 18;
  const beside = new Map(rows.flat().map((box) => [box, []]));
  for (const { route } of arrows) {
    for (let i = 1; i < route.length; ++i) {
      beside.get(route[i]).push(route[i - 1]);
      beside.get(route[i - 1]).push(route[i]);
    }
  }
  for (const row of rows) row.forEach((box, i) => { box.x = i * 100; });
  const pull = (row) => {
    for (const box of row) {
      const others = beside.get(box);
      if (others.length) box.wish = others.reduce((sum, { x }) => sum + x, 0) / others.length;
      else box.wish = box.x;
    }
    row.sort((a, b) => a.wish - b.wish);
    let right = -Infinity;
    for (const box of row) {
      box.x = Math.max(box.wish, right + gap + box.width / 2);
      right = box.x + box.width / 2;
    }
    // As far as all were pushed to the right, back to the left.
    const push = row.reduce((sum, { x, wish }) => sum + x - wish, 0) / row.length;
    for (const box of row) box.x -= push;
  };
  for (let round = 0; round < 6; ++round) {
    rows.forEach(pull);
    [...rows].reverse().forEach(pull);
  }
  const all = rows.flat();
  const left = Math.min(...all.map(({ x, width }) => x - width / 2)) - 8;
  for (const box of all) box.x -= left;
  return Math.max(...all.map(({ x, width }) => x + width / 2)) + 8;
}
