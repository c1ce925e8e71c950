// The modules as a table that opens and closes.

class Tree {
  static #nameWidth = 200;  // pixels, at least

  #frame = document.getElementById("tree");
  #rows;
  #zoomTo;
  #open = new Set([root]);
  #shown = [];         // the modules that have a row
  #active = root;
  #focus = root;
  #measure = measures[0];
  #filter = null;      // while something is looked for: what was found, and what is around it
  #columns;

  constructor(zoomTo) {
    this.#zoomTo = zoomTo;
    this.#columns = this.#chooseColumns();
    this.#frame.setAttribute("role", "treegrid");
    this.#frame.setAttribute("aria-labelledby", "modules-title");
    this.#frame.tabIndex = 0;
    const widths = this.#columns.map((column) => column.width);
    const least = widths.reduce((sum, width) => sum + width, Tree.#nameWidth);
    this.#frame.style.setProperty("--columns",
      ["1fr", ...widths.map((width) => `${width}px`)].join(" "));
    this.#frame.closest(".columns").style.setProperty("--least-width", `${least}px`);
    this.#frame.append(this.#titles());
    this.#rows = new Rows(this.#frame, (index) => this.#row(index));
    this.#frame.addEventListener("click", (event) => this.#click(event));
    this.#frame.addEventListener("keydown", (event) => this.#press(event));
    for (const child of root.children.length <= 20 ? root.children : []) this.#open.add(child);
  }

  #chooseColumns() {
    const measured = measures.map((measure) => ({
      title: measure.label === "Bytes" ? "Size" : measure.label, width: 90, kind: "figure",
      text: (module) => measure.text(measure.of(module)),
    }));
    const columns = [measured[2], measured[0], measured[1], ...measured.slice(3)];
    if (modules.some((module) => module.className)) {
      columns.unshift({ title: "Class", width: 120, whole: (module) => module.className,
        text: (module) => module.className.split(".").at(-1) });
    }
    columns.push(...words.map(({ label, of }) =>
      ({ title: label, width: 150, text: of, whole: of })));
    // Of what is no sum, parts have no share.
    columns.push({ title: "Share", width: 138, kind: "share",
      text: (module) => ((this.#measure.adds ?? "sum") === "sum"
        ? percent(this.#measure.of(module), this.#measure.total) : "") });
    if (data.comparison) {
      columns.push({ title: "Change", width: 150, text: changeText });
    }
    return columns;
  }

  #titles() {
    return element("div", { class: "row titles", role: "row" },
      element("span", { role: "columnheader", text: "Module" }),
      ...this.#columns.map(({ title, kind }) =>
        element("span", { role: "columnheader", class: kind, text: title })));
  }

  // `matches`: the modules that a search has found; null where nothing is looked for.
  show({ focus, measure, matches }) {
    this.#measure = measure;
    this.#filter = matches && withWhatIsAround(matches);
    if (focus !== this.#focus) focus.line.slice(0, -1).forEach((module) => this.#open.add(module));
    this.#focus = focus;
    this.#update(this.#filter === null || this.#filter.has(focus) ? focus : [...matches][0]);
  }

  setOpen(isOpen) {
    this.#open = new Set(isOpen ? modules : [root]);
    this.#update(isOpen ? this.#active : this.#active.line[Math.min(1, this.#active.depth)]);
  }

  get active() { return this.#active; }
  focus() { this.#frame.focus(); }

  #isOpen(module) { return this.#filter !== null || this.#open.has(module); }
  #childrenOf(module) {
    return this.#filter ? module.children.filter((child) => this.#filter.has(child))
                        : module.children;
  }

  #update(active = this.#active) {
    this.#shown = [];
    const visit = (module) => {
      this.#shown.push(module);
      if (this.#isOpen(module)) this.#childrenOf(module).forEach(visit);
    };
    if (this.#filter === null || this.#filter.size > 0) visit(root);
    this.#frame.setAttribute("aria-rowcount", this.#shown.length + 1);
    this.#rows.show(this.#shown.length);
    this.#activate(this.#shown.indexOf(active));
  }

  #activate(index) {
    if (index < 0 || index >= this.#shown.length) return;
    this.#active = this.#shown[index];
    this.#rows.reveal(index);
    this.#frame.setAttribute("aria-activedescendant", `row-${this.#active.id}`);
  }

  #row(index) {
    const module = this.#shown[index];
    const hasChildren = this.#childrenOf(module).length > 0;
    const isOpen = this.#isOpen(module);
    const row = element("div", {
      class: "row", role: "row", id: `row-${module.id}`, "data-index": index,
      "aria-level": module.depth + 1, "aria-rowindex": index + 2,
      "aria-expanded": hasChildren ? isOpen : undefined, "aria-selected": module === this.#focus,
    });
    const name = element("span", { role: "gridcell", class: "name", title: module.path },
      element("span", { class: hasChildren ? "twisty" : "twisty none", "aria-hidden": true }),
      element("span", { class: "swatch", "aria-hidden": true }),
      element("span", { class: "label", text: module.name }));
    name.style.setProperty("--level", module.depth);
    name.style.setProperty("--hue", hueOf(module.name));
    row.append(name, ...this.#columns.map((column) => this.#cell(module, column)));
    row.classList.toggle("active", module === this.#active);
    return row;
  }

  #cell(module, { kind, text, whole = text }) {
    const attributes = { role: "gridcell", class: kind, text: text(module), title: whole(module) };
    const cell = element("span", attributes);
    if (kind === "share" && this.#measure.total > 0) {
      cell.style.setProperty("--share-width", this.#measure.of(module) / this.#measure.total);
    }
    return cell;
  }

  #toggle(module, isOpen) {
    if (isOpen) this.#open.add(module); else this.#open.delete(module);
    this.#update(module);
  }

  #click(event) {
    const row = event.target.closest(".row[data-index]");
    if (!row) return;
    const module = this.#shown[row.dataset.index];
    if (event.target.classList.contains("twisty") && module.children.length) {
      this.#toggle(module, !this.#open.has(module));
    } else {
      this.#zoomTo(module);
    }
  }

  #press(event) {
    const at = this.#shown.indexOf(this.#active);
    const isOpen = this.#isOpen(this.#active) && this.#active.children.length > 0;
    const moves = {
      ArrowDown: () => this.#activate(at + 1),
      ArrowUp: () => this.#activate(at - 1),
      PageDown: () => this.#activate(Math.min(at + this.#rows.inSight, this.#shown.length - 1)),
      PageUp: () => this.#activate(Math.max(at - this.#rows.inSight, 0)),
      Home: () => this.#activate(0),
      End: () => this.#activate(this.#shown.length - 1),
      ArrowRight: () => (isOpen ? this.#activate(at + 1) : this.#toggle(this.#active, true)),
      ArrowLeft: () => (isOpen && this.#filter === null
        ? this.#toggle(this.#active, false)
        : this.#activate(this.#shown.indexOf(this.#active.parent))),
      Enter: () => this.#zoomTo(this.#active),
      " ": () => this.#zoomTo(this.#active),
    };
    if (!moves[event.key]) return;
    moves[event.key]();
    event.preventDefault();
  }
}

function withWhatIsAround(modules) {
  const all = new Set();
  for (const module of modules) {
    for (let at = module; at && !all.has(at); at = at.parent) all.add(at);
  }
  return all;
}

// What another model has in the module's place.
function changeText(module) {
  if (module.change) return module.change;
  return module.changesInside > 0 ? `${withThousands(module.changesInside)} inside` : "same";
}
