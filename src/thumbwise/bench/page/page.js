// The page of the bench: one item at a time, an answer by one key, and nothing shown before it is on disk.
import { renderField } from "./fields.js";
import { element } from "./markdown.js";

const $ = (id) => document.getElementById(id);
const state = {
  classes: [], item: null, by: "", again: false, looking: false, busy: true, hasVotes: false, counts: null, keys: new Map(),
};
// An item of so few letters is shown in larger type.
const SHORT = 300;
const settings = { singleKeys: true, showVotes: false };

// What is remembered in this browser: a name and two choices; where that is forbidden, nothing is.
function remember(name, value) {
  try { localStorage.setItem(`thumbwise-bench-${name}`, value); } catch { /* as if it were not asked for */ }
}
function remembered(name) {
  try { return localStorage.getItem(`thumbwise-bench-${name}`); } catch { return null; }
}

function rememberedHere() {
  try { return sessionStorage.getItem("by"); } catch { return null; }
}

class Refused extends Error {}

async function ask(what, request = {}) {
  let answer;
  try {
    answer = await fetch(`ask/${what}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ by: state.by, again: state.again, ...request }),
    });
  } catch {
    throw new Error("The bench has ended. Start it again with the same command: every answer that was shown as kept is in "
      + "the file.");
  }
  const content = await answer.json().catch(() => ({ error: "This page is of an earlier run. Open the address of the new one." }));
  if (!answer.ok) throw content.not_kept ? new Error(`Not kept: ${content.error}`) : new Refused(content.error);
  return content;
}

// One request at a time: a key that is pressed before the next item is there would be for an item that nobody saw.
async function turn(what, request, then) {
  if (state.busy) return;
  setBusy(true);
  try {
    const content = await ask(what, request);
    trouble("");
    await then(content);
  } catch (error) {
    trouble(error.message);
    if (error instanceof Refused) await ask("turn").then(show, () => {});
  } finally {
    setBusy(false);
  }
}

function setBusy(isBusy) {
  state.busy = isBusy;
  $("item").setAttribute("aria-busy", String(isBusy));
}

function trouble(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = !message;
}

// Time is counted only while somebody can see the item.
const clock = {
  spent: 0, since: null,
  start() { this.spent = 0; this.since = document.hidden ? null : performance.now(); },
  pause() { if (this.since !== null) this.spent += performance.now() - this.since; this.since = null; },
  go() { if (this.since === null) this.since = performance.now(); },
  read() { return (this.spent + (this.since === null ? 0 : performance.now() - this.since)) / 1000; },
};
document.addEventListener("visibilitychange", () => (document.hidden ? clock.pause() : clock.go()));

function show(content, { looking = false } = {}) {
  state.item = content.item;
  state.counts = content.counts;
  state.looking = looking;
  showCounts();
  const item = content.item;
  $("title").textContent = item ? `Item ${item.place} in the order drawn · id ${item.id}` : endTitle();
  $("fields").replaceChildren(...(item ? item.fields.map((field, i) => renderField(field, item.place, i)) : endWords()));
  $("mode").hidden = !state.again && !looking;
  $("mode").textContent = looking ? lookedAt(item) : "Second look: what do you say now?";
  $("back").hidden = !looking;
  $("note").value = item?.mine?.note ?? "";
  openNote(Boolean(item?.mine?.note), false);
  if (looking && item.votes && settings.showVotes) $("last").replaceChildren(...votesOn(item.votes, item.mine?.answer));
  for (const button of document.querySelectorAll("#classes button, #unclear, #skip")) button.disabled = !item;
  press(item?.mine);
  const main = $("item");
  main.classList.toggle("short", $("fields").textContent.length < SHORT);
  main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  clock.start();
}

function lookedAt(item) {
  if (!item.mine) return "You have not answered this one.";
  return `You said: ${item.mine.answer ?? item.mine.kind}. Another answer replaces it.`;
}

function press(mine) {
  for (const button of document.querySelectorAll("#classes button")) {
    const isMine = mine?.kind === "label" && button.dataset.name === mine.answer;
    button.setAttribute("aria-pressed", String(isMine));
  }
  $("unclear").setAttribute("aria-pressed", String(mine?.kind === "unclear"));
}

function showCounts() {
  const { labeled, last, skipped, again } = state.counts;
  const of = last ? ` of ${last.toLocaleString("en")}` : "";
  $("count").textContent = `${labeled.toLocaleString("en")}${of} labeled${skipped ? `, ${skipped} skipped` : ""}`;
  $("bar").value = last ? labeled / last : 0;
  $("again").hidden = again.of === 0;
  $("again").setAttribute("aria-pressed", String(state.again));
}

function endTitle() {
  return state.again ? "Nothing is left for a second look" : "Everything is labeled";
}

function endWords() {
  const { labeled, again } = state.counts;
  const words = [];
  if (state.again) {
    words.push(element("p", { className: "plain-text" }, "Thank you. How far you agree is said beside."));
    words.push(element("p", {}, button("Back to first labels", () => toggleAgain())));
    return words;
  }
  words.push(element("p", { className: "plain-text" }, `${labeled} items have a label. The file is gold for every command: `,
    element("span", { className: "option" }, "--gold"), ` ${state.gold}. End the bench with Ctrl-C in its terminal.`));
  if (again.done < again.of) {
    words.push(element("p", {}, `Would you label a random tenth of them again (${again.of - again.done} items)? It tells how `
      + "far a label can be relied on."));
    words.push(element("p", {}, button("Second look", () => toggleAgain())));
  }
  return words;
}

function button(words, action) {
  const node = element("button", { type: "button" }, words);
  node.addEventListener("click", action);
  return node;
}

function answer(kind, name = null) {
  const item = state.item;
  if (!item) return;
  const request = {
    place: item.place, id: item.id, kind, answer: name, seconds: clock.read(), note: $("note").value, mine: item.mine,
  };
  turn("answer", request, (content) => {
    showLast(content.last);
    show(content);
    const next = content.item ? `Item ${content.item.place}.` : endTitle();
    say(`${kind === "skip" ? "Skipped" : `Kept: ${name ?? kind}`}. ${next}`);
    measure();
  });
}

function undo() {
  turn("undo", {}, (content) => {
    state.again = content.again;
    show(content);
    $("last").textContent = `Taken back: item ${content.item.place}.`;
    say(`Taken back. Item ${content.item.place}.`);
    measure();
  });
}

function showLast(last) {
  const words = last.kind === "skip" ? "skipped, comes back" : last.answer ?? last.kind;
  $("last").replaceChildren(`Kept: ${last.id} `, element("strong", {}, words));
  if (settings.showVotes && last.votes) $("last").append(". ", ...votesOn(last.votes, last.answer));
}

function votesOn(votes, mine) {
  if (!votes.length) return ["No rule voted on it."];
  return votes.map(({ rule, vote }) =>
    element("span", { className: vote === mine || !mine ? "vote" : "vote differs" }, `${rule}: ${vote}`));
}

function say(words) {
  $("said").textContent = words;
}

// What the labels say takes longer to find out than a key press, and comes when it is there.
let measuring = false;
let measureOnceMore = false;
async function measure() {
  if (measuring) {
    measureOnceMore = true;
    return;
  }
  measuring = true;
  try {
    showProgress(await ask("progress"));
  } catch { /* the next answer says what is wrong */ }
  measuring = false;
  if (measureOnceMore) {
    measureOnceMore = false;
    measure();
  }
}

function showProgress(progress) {
  const nodes = [];
  for (const [i, sentence] of (progress.sentences ?? []).entries()) {
    nodes.push(element("p", { className: sentenceClass(i, progress) }, sentence));
    if (!i && typeof progress.lower === "number") nodes.push(interval(progress));
  }
  for (const sentence of progress.agreement ?? []) nodes.push(element("p", {}, sentence));
  if (!nodes.length) nodes.push(element("p", { className: "quiet" }, "What the labels say is shown here once there are some."));
  $("progress").replaceChildren(...nodes);
}

function sentenceClass(i, progress) {
  if (i === 0) return progress.is_reached ? "main-sentence reached" : "main-sentence";
  return "";
}

function interval({ lower, upper, estimate }) {
  const range = element("span", { className: "range" });
  range.style.setProperty("left", `${100 * lower}%`);
  range.style.setProperty("right", `${100 * (1 - upper)}%`);
  const box = element("div", { className: "between" }, range);
  box.setAttribute("aria-hidden", "true");
  if (typeof estimate === "number") {
    const point = element("span", { className: "point" });
    point.style.setProperty("left", `${100 * estimate}%`);
    box.append(point);
  }
  return box;
}

function openNote(isOpen, takesFocus = true) {
  $("note-box").hidden = !isOpen;
  $("note-button").setAttribute("aria-expanded", String(isOpen));
  if (isOpen && takesFocus) $("note").focus();
}

function toggleAgain() {
  if (state.busy || $("again").hidden) return;
  state.again = !state.again;
  goOn();
}

function goOn() {
  turn("turn", {}, (content) => {
    show(content);
    say(content.item ? `Item ${content.item.place}.` : endTitle());
  });
}

function setVotes(isShown) {
  settings.showVotes = isShown && state.hasVotes;
  $("show-votes").checked = settings.showVotes;
  remember("votes", settings.showVotes ? "1" : "");
}

async function lookAt(place) {
  if (state.busy) return "";
  setBusy(true);
  try {
    const content = await ask("look", { place: String(place) });
    state.again = false;
    show(content, { looking: true });
    say(`Item ${content.item.place}.`);
    return "";
  } catch (error) {
    return error.message;
  } finally {
    setBusy(false);
  }
}

async function fillList() {
  const filter = $("filter").value;
  const { answers, n } = await ask("list", { filter }).catch(() => ({ answers: [], n: 0 }));
  if (filter !== $("filter").value) return; // another one was chosen meanwhile, and its answers are on their way
  $("list-count").textContent = `${n.toLocaleString("en")} answers${n > answers.length ? `, the last ${answers.length} shown` : ""}`;
  $("list-answers").replaceChildren(...answers.map((row) => {
    const words = [row.place, row.id, (row.answer ?? row.kind) + (row.again ? " (second look)" : ""), row.note ?? ""];
    const go = button(words.filter((word) => word !== "").join(" · "), () => {
      $("list-dialog").close();
      lookAt(row.place).then(trouble);
    });
    return element("li", {}, go);
  }));
}

function openDialog(name) {
  if (document.querySelector("dialog[open]")) return;
  $(`${name}-dialog`).showModal();
  if (name === "list") fillList();
  if (name === "go") {
    $("go-trouble").hidden = true;
    $("go-to").value = "";
    $("go-to").focus();
  }
}

const COMMANDS = [
  ["x", "unclear: it fits no class", () => answer("unclear")],
  ["s", "skip: it comes back", () => answer("skip")],
  ["u", "undo your last answer, as often as you like", undo],
  ["n", "a note to the answer", () => openNote(true)],
  ["g", "go to an item by id or number", () => openDialog("go")],
  ["l", "list your answers, and go back to one", () => openDialog("list")],
  ["t", "second look at a random tenth, and back", toggleAgain],
  ["v", "show or hide votes after each answer", () => setVotes(!settings.showVotes)],
  ["?", "this help", () => openDialog("help")],
];

function setUp(content) {
  state.classes = content.classes;
  state.hasVotes = content.has_votes;
  state.gold = content.gold;
  $("file").textContent = content.file;
  document.title = `${content.file} · thumbwise bench`;
  for (const [key, , action] of COMMANDS) state.keys.set(key, action);
  state.keys.set("0", () => answer("unclear"));
  for (const { name, keys } of content.classes) {
    const act = () => answer("label", name);
    const node = button("", act);
    node.dataset.name = name;
    node.append(element("span", { dir: "auto" }, name), ...keys.map((key) => element("kbd", { ariaHidden: "true" }, key)));
    node.setAttribute("aria-keyshortcuts", keys.join(" "));
    $("classes").append(node);
    for (const key of keys) state.keys.set(key, act);
    $("keys").append(row(keys, name));
  }
  for (const [key, words] of COMMANDS) if (key !== "v" || state.hasVotes) $("keys").append(row([key], words));
  $("votes-choice").hidden = !state.hasVotes;
  const choices = [["", "all"], ...content.classes.map(({ name }) => [name, name]), ["unclear", "unclear"], ["skip", "skipped"],
    ["note", "with a note"]];
  $("filter").append(...choices.map(([value, words]) => element("option", { value }, words)));
}

function row(keys, words) {
  return element("tr", {}, element("td", {}, ...keys.map((key) => element("kbd", {}, key))), element("td", {}, words));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.matches?.("input, textarea, select")) {
    if (event.key === "Escape") $("item").focus();
    return;
  }
  if (event.key === "Escape" && state.looking) goOn();
  const action = settings.singleKeys ? state.keys.get(event.key.toLowerCase()) : null;
  if (action) {
    event.preventDefault();
    action();
  }
});

for (const [id, action] of Object.entries({
  unclear: () => answer("unclear"), skip: () => answer("skip"), undo, again: toggleAgain, back: goOn,
  "note-button": () => openNote($("note-box").hidden), help: () => openDialog("help"), list: () => openDialog("list"),
  go: () => openDialog("go"), "go-close": () => $("go-dialog").close(),
})) $(id).addEventListener("click", action);

$("filter").addEventListener("change", fillList);
$("single-keys").addEventListener("change", (event) => {
  settings.singleKeys = event.target.checked;
  remember("keys", event.target.checked ? "" : "off");
});
$("show-votes").addEventListener("change", (event) => setVotes(event.target.checked));
$("go-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const problem = await lookAt($("go-to").value);
  $("go-trouble").textContent = problem;
  $("go-trouble").hidden = !problem;
  if (!problem) $("go-dialog").close();
});
$("by").addEventListener("change", () => {
  state.by = $("by").value.trim();
  remember("by", state.by);
  try { sessionStorage.setItem("by", state.by); } catch { /* as above */ }
  goOn();
});
$("by").addEventListener("keydown", (event) => { if (event.key === "Enter") $("item").focus(); });

async function begin() {
  settings.singleKeys = remembered("keys") !== "off";
  $("single-keys").checked = settings.singleKeys;
  try {
    const content = await ask("start", { by: rememberedHere(), usual: remembered("by") });
    state.by = content.by;
    $("by").value = state.by;
    setUp(content);
    setVotes(remembered("votes") === "1");
    show(content);
    setBusy(false);
    await measure();
  } catch (error) {
    trouble(error.message);
  }
}

begin();
