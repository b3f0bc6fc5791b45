// The quiz widget: one fieldset per question, a live line under it that gives the reason.
// Text is data: it reaches the page as text nodes; only `code` and *emphasis* are marked up.

const MARKED = /`([^`]+)`|\*([^*\s][^*]*)\*/g;

function marked(text) {
  const holder = document.createElement("span");
  let end = 0;
  for (const match of text.matchAll(MARKED)) {
    holder.append(text.slice(end, match.index));
    const node = document.createElement(match[1] ? "code" : "em");
    node.textContent = match[1] ?? match[2];
    holder.append(node);
    end = match.index + match[0].length;
  }
  holder.append(text.slice(end));
  return holder;
}

function element(tag, className, child) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (child) node.append(child);
  return node;
}

function drawQuestion(model, question, index, group) {
  const box = element("fieldset", "wb-quiz-question");
  const legend = element("legend", "", marked(`${index + 1}. ${question.text}`));
  const why = element("p", "wb-quiz-why");
  why.setAttribute("aria-live", "polite");
  box.append(legend);

  const say = () => {
    const choice = model.get("chosen")[index];
    box.querySelectorAll("label").forEach((label, i) => {
      label.dataset.state = i !== choice ? "" : question.answers[i].right ? "right" : "wrong";
    });
    if (choice < 0) return why.replaceChildren();
    const answer = question.answers[choice];
    box.querySelectorAll("input")[choice].checked = true;
    const verdict = element("b", "", answer.right ? "✓ Right. " : "✗ Not quite. ");
    why.dataset.state = answer.right ? "right" : "wrong";
    why.replaceChildren(verdict, marked(answer.why));
  };

  question.answers.forEach((answer, i) => {
    const input = document.createElement("input");
    input.type = "radio";
    input.name = `${group}-${index}`;
    input.addEventListener("change", () => {
      const chosen = [...model.get("chosen")];
      chosen[index] = i;
      model.set("chosen", chosen);
      model.save_changes();
    });
    const label = element("label", "", input);
    label.append(marked(answer.text));
    box.append(label);
  });
  box.append(why);
  say();
  return { box, say };
}

function render({ model, el }) {
  const root = element("div", "wb-quiz");
  root.dataset.testid = "quiz";
  // JupyterLab would take the arrow keys, which move between radio buttons
  root.addEventListener("keydown", (event) => event.stopPropagation());
  const group = `wb-quiz-${Math.random().toString(36).slice(2)}`;
  const questions = model.get("questions");
  const drawn = questions.map((question, i) => drawQuestion(model, question, i, group));
  const score = element("p", "wb-quiz-score");
  score.setAttribute("role", "status");
  const update = () => {
    drawn.forEach((question) => question.say());
    const chosen = model.get("chosen");
    const right = questions.filter((q, i) => chosen[i] >= 0 && q.answers[chosen[i]].right);
    score.textContent = `${right.length} of ${questions.length} right`;
  };
  model.on("change:chosen", update);
  update();
  root.append(...drawn.map((question) => question.box), score);
  el.append(root);
  return () => model.off("change:chosen", update);
}

export default { render };
