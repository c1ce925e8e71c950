// A list that may be long: rows of one height, of which only those in sight are there.

// An element with text, and with attributes where they are given. All text of the model comes to
// the page this way.
function element(tag, { text, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

class Rows {
  static #beyond = 10;         // rows that are there above and below those in sight
  static #mostPrinted = 2000;  // longer lists end there on paper

  #frame;
  #space = element("div", { class: "space", role: "presentation" });
  #height = 1;
  #make;
  #count = 0;
  #isPrinted = false;

  // `make` gives the element of a row, by its number. Rows are as high as --row-height says when
  // they are shown.
  constructor(frame, make) {
    this.#frame = frame;
    this.#make = make;
    frame.append(this.#space);
    frame.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(frame);
    for (const when of ["beforeprint", "afterprint"]) {
      window.addEventListener(when, () => {
        this.#isPrinted = when === "beforeprint";
        this.draw();
      });
    }
  }

  show(count) {
    this.#count = count;
    this.#height = parseFloat(getComputedStyle(this.#frame).getPropertyValue("--row-height"));
    this.#space.style.height = `${count * this.#height}px`;
    this.draw();
  }

  // Scrolls no further than needed.
  reveal(index) {
    const top = index * this.#height;
    const inSight = this.#frame.clientHeight - this.#space.offsetTop - this.#height;
    const { scrollTop } = this.#frame;
    this.#frame.scrollTop = Math.max(Math.min(scrollTop, top), top - inSight);
    this.draw();
  }

  get inSight() { return Math.floor(this.#frame.clientHeight / this.#height); }

  draw() {
    const top = Math.floor(this.#frame.scrollTop / this.#height);
    const first = this.#isPrinted ? 0 : Math.max(0, top - Rows.#beyond);
    const end = this.#isPrinted ? Rows.#mostPrinted : top + this.inSight + Rows.#beyond;
    const drawn = [];
    for (let i = first; i < Math.min(end, this.#count); ++i) {
      const row = this.#make(i);
      row.style.top = `${i * this.#height}px`;
      drawn.push(row);
    }
    this.#space.replaceChildren(...drawn);
  }
}
