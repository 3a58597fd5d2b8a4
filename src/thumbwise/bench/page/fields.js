// Fields of an item as DOM nodes, by their kind.
import { element, link, renderMarkdown, safeAddress } from "./markdown.js";

const ROLES = { user: "user", human: "user", assistant: "assistant", ai: "assistant", model: "assistant" };

// Letters as Python counts them: JavaScript counts some of them twice.
function nLetters(text) {
  let n = 0;
  for (const _ of text) n += 1;
  return n;
}

export function renderField(field, place, number) {
  const id = `field-${number}`;
  const heading = element("h2", { id, className: "field-name", dir: "auto" }, field.name);
  const body = element("div", { className: `field ${field.kind}`, dir: "auto" });
  const section = element("section", {}, heading, body);
  section.setAttribute("aria-labelledby", id);
  fill(body, field, place, number);
  if (field.kind === "markdown" || field.kind === "chat") heading.append(plainSwitch(body, field, place, number));
  return section;
}

function fill(body, field, place, number) {
  const make = { markdown, code, chat, json: code, image, link: address }[field.kind] ?? plain;
  make(body, field, place, number);
  if (field.length > nLetters(field.text ?? "")) body.append(moreButton(body, field, place, number));
}

function plainSwitch(body, field, place, number) {
  const button = element("button", { type: "button", className: "small" }, "as plain text");
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const isPlain = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isPlain));
    body.replaceChildren();
    if (!isPlain) fill(body, field, place, number);
    else if (field.kind === "chat") chat(body, field, place, number, isPlain);
    else fill(body, { ...field, kind: "text" }, place, number);
  });
  return button;
}

function plain(body, field) {
  if (!field.text) body.append(element("p", { className: "quiet" }, "(empty)"));
  else body.append(element("p", { className: "plain-text" }, field.text));
}

function markdown(body, field) {
  body.append(element("div", { className: "prose" }, renderMarkdown(field.text)));
}

function code(body, field) {
  const pre = element("pre", { tabIndex: 0 }, element("code", {}, field.text));
  pre.setAttribute("aria-label", field.name);
  pre.setAttribute("role", "group");
  body.append(pre);
}

function chat(body, field, _place, _number, isPlain = false) {
  const list = element("ol", { className: "chat" });
  for (const message of field.messages) {
    const side = ROLES[message.role.toLowerCase()] ?? "other";
    const text = isPlain
      ? element("p", { className: "plain-text" }, message.text)
      : element("div", { className: "prose", dir: "auto" }, renderMarkdown(message.text));
    list.append(element("li", { className: side }, element("p", { className: "role", dir: "auto" }, message.role), text));
  }
  body.append(list);
}

function image(body, field, place, number) {
  const picture = element("img", { alt: field.alt, src: `image/${place}/${number}` });
  picture.addEventListener("error", () => picture.replaceWith(`${field.alt} cannot be shown as an image`));
  body.append(picture);
}

function address(body, field) {
  const safe = safeAddress(field.text.trim());
  body.append(element("p", {}, safe ? link(safe, field.text) : field.text));
}

function moreButton(body, field, place, number) {
  let shown = nLetters(field.text);
  const words = element("span", { className: "quiet" });
  const button = element("button", { type: "button" }, "Show more");
  const box = element("p", { className: "more" }, words, " ", button);
  const say = () => {
    words.textContent = `${shown.toLocaleString("en")} of ${field.length.toLocaleString("en")} letters are shown.`;
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    const answer = await fetch(`text/${place}/${number}/${shown}`).catch(() => null);
    const text = answer?.ok ? await answer.text() : "";
    if (!text) {
      button.disabled = false;
      return;
    }
    box.before(element("p", { className: "plain-text" }, text));
    shown += nLetters(text);
    say();
    button.disabled = false;
    if (shown >= field.length) button.remove();
  });
  say();
  return box;
}
