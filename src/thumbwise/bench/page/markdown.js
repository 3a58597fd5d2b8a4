// Markdown as DOM nodes. Nothing is ever parsed as HTML: every letter of the source ends up in a text node.

const LIST = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(```+|~~~+)\s*([\w+-]*)/;
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const TOKEN = /\\[\\`*_{}[\]()#+\-.!~|>]|`+|\*\*|__|~~|[*_]|!?\[|https?:\/\/[^\s<>"'()[\]]+/g;
const DEEPEST = 6;

export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  Object.assign(node, properties);
  node.append(...children);
  return node;
}

// Only these lead anywhere; every other address is shown as the text that it is.
export function safeAddress(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function link(address, ...children) {
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow", title: address }, ...children);
}

export function renderMarkdown(text) {
  const fragment = document.createDocumentFragment();
  blocks(text.replace(/\r\n?/g, "\n").split("\n"), fragment, 0);
  return fragment;
}

function blocks(lines, parent, depth) {
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const fence = FENCE.exec(line);
    if (!line.trim()) {
      at += 1;
    } else if (fence) {
      at = fenced(lines, at, fence[1], parent);
    } else if (HEADING.test(line)) {
      const [, marks, words] = HEADING.exec(line);
      // Headings of the text stand below those of the page.
      const heading = element("p", { className: `heading heading-${marks.length}` });
      heading.setAttribute("role", "heading");
      heading.setAttribute("aria-level", String(Math.min(marks.length + 2, 6)));
      inline(words, heading, 0);
      parent.append(heading);
      at += 1;
    } else if (RULE.test(line)) {
      parent.append(element("hr"));
      at += 1;
    } else if (/^\s*>/.test(line) && depth < DEEPEST) {
      at = quoted(lines, at, parent, depth);
    } else if (LIST.test(line)) {
      at = list(lines, at, parent);
    } else if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "") && lines[at + 1].includes("-")) {
      at = table(lines, at, parent);
    } else {
      at = paragraph(lines, at, parent);
    }
  }
}

function fenced(lines, at, fence, parent) {
  const end = lines.findIndex((line, i) => i > at && line.trim().startsWith(fence));
  const stop = end < 0 ? lines.length : end;
  parent.append(element("pre", { tabIndex: 0 }, element("code", {}, lines.slice(at + 1, stop).join("\n"))));
  return stop + 1;
}

function quoted(lines, at, parent, depth) {
  let end = at;
  while (end < lines.length && /^\s*>/.test(lines[end])) end += 1;
  const quote = element("blockquote");
  blocks(lines.slice(at, end).map((line) => line.replace(/^\s*> ?/, "")), quote, depth + 1);
  parent.append(quote);
  return end;
}

function list(lines, at, parent) {
  const stack = []; // {indent, node} of the lists that are open
  let item = null;
  for (; at < lines.length; at += 1) {
    const match = LIST.exec(lines[at]);
    if (match) {
      const indent = match[1].replace(/\t/g, "    ").length;
      while (stack.length > 1 && indent < stack.at(-1).indent) stack.pop();
      if (!stack.length || (indent > stack.at(-1).indent + 1 && stack.length < DEEPEST)) {
        const isOrdered = /\d/.test(match[2]);
        const node = element(isOrdered ? "ol" : "ul");
        if (isOrdered && parseInt(match[2], 10) !== 1) node.start = parseInt(match[2], 10);
        (item ?? parent).append(node);
        stack.push({ indent, node });
      }
      item = element("li");
      inline(match[3], item, 0);
      stack.at(-1).node.append(item);
    } else if (lines[at].trim() && /^\s{2,}/.test(lines[at])) {
      item.append("\n");
      inline(lines[at].trim(), item, 0);
    } else {
      break;
    }
  }
  return at;
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).slice(0, 100).map((cell) => cell.trim());
}

function table(lines, at, parent) {
  const grid = element("table");
  const head = element("tr");
  for (const cell of cells(lines[at])) {
    const heading = element("th", { scope: "col" });
    inline(cell, heading, 0);
    head.append(heading);
  }
  grid.append(element("thead", {}, head));
  const body = element("tbody");
  let end = at + 2;
  for (; end < lines.length && lines[end].includes("|"); end += 1) {
    const row = element("tr");
    for (const cell of cells(lines[end])) {
      const entry = element("td");
      inline(cell, entry, 0);
      row.append(entry);
    }
    body.append(row);
  }
  grid.append(body);
  parent.append(element("div", { className: "wide", tabIndex: 0 }, grid));
  return end;
}

function paragraph(lines, at, parent) {
  let end = at + 1;
  const ends = (line) => !line.trim() || FENCE.test(line) || HEADING.test(line) || /^\s*>/.test(line) || LIST.test(line);
  while (end < lines.length && !ends(lines[end])) end += 1;
  const node = element("p");
  inline(lines.slice(at, end).join("\n"), node, 0);
  parent.append(node);
  return end;
}

const WRAPS = { "**": "strong", "__": "strong", "*": "em", "_": "em", "~~": "s" };

function inline(text, parent, depth) {
  let done = 0;
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const made = depth < DEEPEST ? inlineNode(text, match[0], match.index, depth) : null;
    if (made) {
      parent.append(text.slice(done, match.index), made.node);
      done = made.end;
      token.lastIndex = made.end;
    }
  }
  parent.append(text.slice(done));
}

// The node that begins with a token, and where it ends; null if the token is only a letter.
function inlineNode(text, token, at, depth) {
  const after = at + token.length;
  if (token[0] === "\\") return { node: document.createTextNode(token[1]), end: after };
  if (token[0] === "`") {
    const end = text.indexOf(token, after);
    if (end <= after) return null;
    return { node: element("code", {}, text.slice(after, end)), end: end + token.length };
  }
  if (token.startsWith("http")) {
    const shown = token.replace(/[.,;:!?*_~]+$/, "");
    const address = safeAddress(shown);
    return address ? { node: link(address, shown), end: at + shown.length } : null;
  }
  if (token.endsWith("[")) return bracketed(text, token, after, depth);
  return wrapped(text, token, at, after, depth);
}

function wrapped(text, token, at, after, depth) {
  const isLetter = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);
  if (!text[after] || /\s/.test(text[after]) || (token[0] === "_" && isLetter(text[at - 1]))) return null;
  const end = text.indexOf(token, after + 1);
  if (end < 0 || /\s/.test(text[end - 1]) || (token[0] === "_" && isLetter(text[end + token.length]))) return null;
  const node = element(WRAPS[token]);
  inline(text.slice(after, end), node, depth + 1);
  return { node, end: end + token.length };
}

// [words](address), or ![words](address), of which only the words and the address are shown: nothing is fetched.
function bracketed(text, token, after, depth) {
  const close = text.indexOf("](", after);
  if (close < 0 || text.slice(after, close).includes("\n")) return null;
  let end = close + 2;
  for (let open = 1; end < text.length; end += 1) {
    if (text[end] === "\n") return null;
    if (text[end] === "(") open += 1;
    if (text[end] === ")" && (open -= 1) === 0) break;
  }
  if (end >= text.length) return null;
  const target = text.slice(close + 2, end).trim().replace(/\s+["'][^"']*["']$/, "");
  const address = safeAddress(target);
  const words = document.createDocumentFragment();
  inline(text.slice(after, close), words, depth + 1);
  if (token === "![") words.prepend("image: ");
  if (!address) {
    words.append(` (${target})`);
    return { node: element("span", { className: "no-link" }, words), end: end + 1 };
  }
  return { node: link(address, words), end: end + 1 };
}
