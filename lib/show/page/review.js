// Doubtful nodes: what somebody who knows the network may say of them, saved as a file of rules.

class Review {
  constructor(place, questions) {
    this.questions = questions;
    this.answers = questions.map(() => null);  // the choice taken: its number
    if (questions.length === 0) return;
    this.save = element("button", { type: "button", text: "Save rules" });
    this.save.disabled = true;
    this.save.addEventListener("click", () => this.#download());
    place.append(
      element("div", { class: "title" },
        element("h2", { text: `Doubtful: ${counted(questions.length, "question")}` }), this.save),
      element("p", { class: "quiet", text: "Answers are rules: 'onnx-hier tag --rules FILE'." }),
      ...questions.map((question, number) => this.#asked(question, number)));
  }

  #asked({ ids, names, operators, choices }, number) {
    const nodes = element("details", {}, element("summary", { text: counted(ids.length, "node") }),
      element("ul", {}, ...ids.map((id, i) =>
        element("li", { text: `${id} ${operators[i]} ${names[i] === id ? "" : names[i]}` }))));
    const options = choices.map(({ module, probability }, choice) => {
      const input = element("input", { type: "radio", name: `question-${number}` });
      input.addEventListener("change", () => {
        this.answers[number] = choice;
        this.save.disabled = false;
      });
      return element("label", {}, input,
        element("span", { text: `${module}  ${(100 * probability).toFixed(0)} %` }));
    });
    return element("fieldset", { class: "question" }, nodes, ...options);
  }

  // A line for each node of the questions that have an answer.
  rules() {
    return this.questions.flatMap(({ names, choices }, number) => {
      const answer = this.answers[number];
      if (answer === null) return [];
      return names.map((name, i) => `owner ${name} = ${choices[answer].modules[i]}\n`);
    }).join("");
  }

  #download() {
    saveFile(`${data.file.replace(/\.onnx$/, "")}.rules`, this.rules(), "text/plain");
  }
}
